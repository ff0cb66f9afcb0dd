"""The functions of Cypher 5 that a read may call, in the spelling of the manual.

Left out on purpose: file() and linenumber() (LOAD CSV), graph.byName() and its kin (other databases), genai.* (the network),
and everything of plug-ins.
"""

FUNCTIONS = {
    name.lower(): name
    for name in """
    all any exists isEmpty none single
    coalesce elementId endNode head id last length nullIf properties randomUUID size startNode toBoolean toBooleanOrNull
    toFloat toFloatOrNull toInteger toIntegerOrNull type valueType
    avg collect count max min percentileCont percentileDisc stDev stDevP sum
    keys labels nodes range reduce relationships reverse tail toBooleanList toFloatList toIntegerList toStringList
    abs ceil floor isNaN rand round sign e exp log log10 sqrt acos asin atan atan2 cos cosh cot coth degrees haversin pi
    radians sin sinh tan tanh ceiling ln power
    btrim left lower lTrim normalize replace right rTrim split substring toLower toString toStringOrNull toUpper trim upper
    char_length character_length
    date date.realtime date.statement date.transaction date.truncate
    datetime datetime.fromEpoch datetime.fromEpochMillis datetime.realtime datetime.statement datetime.transaction
    datetime.truncate
    localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
    localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate
    time time.realtime time.statement time.transaction time.truncate timestamp
    duration duration.between duration.inDays duration.inMonths duration.inSeconds
    point point.distance point.withinBBox
    vector.similarity.cosine vector.similarity.euclidean
    shortestPath allShortestPaths
    """.split()
}

# Procedures that only read, open nothing and end: what questions and a look at the schema need.
PROCEDURES = frozenset(
    {
        "db.index.fulltext.querynodes",
        "db.index.fulltext.queryrelationships",
        "db.labels",
        "db.relationshiptypes",
        "db.propertykeys",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.schema.visualization",
    }
)
