"""The features that luminaires are configured by, as data.

Nothing arrives; what leaves is `FEATURES`, by ext_id. A feature's names are pairs (English, Finnish); a family shows
one of the pairs, in one of the languages, so that the same ext_id goes by several names.
"""

from dataclasses import dataclass

LANGUAGES = ("en", "fi")


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice as shown on an English and a Finnish screen; `measure` is its bare number where it is a measure;
    `weight` is how often it is chosen, relative to the others."""

    names: tuple[str, str]
    measure: str | None
    weight: int

    def name(self, language: str) -> str:
        """The choice as shown on a screen in `language`."""
        return self.names[LANGUAGES.index(language)]


@dataclass(frozen=True, slots=True)
class Feature:
    """A configurable feature. `tab` is the group of screens it belongs to; `unit` is None where choices are words."""

    ext_id: str
    tab: str
    names: tuple[tuple[str, str], ...]
    unit: str | None
    choices: tuple[Choice, ...]


def _numbers(shown: str, spec: str) -> tuple[Choice, ...]:
    """Choices from "57:8 45": measure and weight (default 4), shown as the format says."""
    choices = []
    for entry in spec.split():
        number, _, weight = entry.partition(":")
        text = shown.format(number)
        choices.append(Choice((text, text), number, int(weight or 4)))
    return tuple(choices)


def _words(spec: str) -> tuple[Choice, ...]:
    """Choices from "Black|Musta:8; DALI": English, Finnish (default: the same) and weight (default 4)."""
    choices = []
    for entry in spec.split(";"):
        text, _, weight = entry.strip().partition(":")
        english, _, finnish = text.partition("|")
        choices.append(Choice((english, finnish or english), None, int(weight or 4)))
    return tuple(choices)


def _feature(ext_id: str, tab: str, names: str, choices: str, *shown_and_unit: str) -> Feature:
    shown, unit = (*shown_and_unit, "", "")[:2]
    pairs = tuple((p.partition("|")[0].strip(), p.partition("|")[2].strip()) for p in names.split(";"))
    made = _numbers(shown, choices) if shown else _words(choices)
    return Feature(ext_id, tab, pairs, unit or None, made)


_YES_NO = "No|Ei:7; Yes|Kyllä:3"

_ALL = (
    # Body
    _feature(
        "pituus",
        "body",
        "Length|Pituus; Luminaire length|Valaisimen pituus; Profile length|Profiilin pituus",
        "600:2 900:2 1200:7 1500:9 1800:3 2000:6 2400:4 3000:2",
        "{} mm",
        "mm",
    ),
    _feature("leveys", "body", "Width|Leveys; Body width|Rungon leveys", "60:5 72 90 120:2 300:1", "{} mm", "mm"),
    _feature("korkeus", "body", "Height|Korkeus; Body height|Rungon korkeus", "45 60:6 75 90:2", "{} mm", "mm"),
    _feature("halkaisija", "body", "Diameter|Halkaisija", "180 240:6 320 450:2", "{} mm", "mm"),
    _feature("paino", "body", "Weight|Paino; Net weight|Nettopaino", "1.4 2.1:6 2.8 3.5 5.2:2", "{} kg", "kg"),
    _feature(
        "vari",
        "body",
        "Frame color|Rungon väri; Body colour|Väri; Frame colour|Kehyksen väri",
        "White|Valkoinen:9; Black|Musta:7; Grey|Harmaa:5; Silver|Hopea:3; Anodized aluminium|Anodisoitu alumiini:2; "
        "Dark grey|Tummanharmaa:2; Red|Punainen:1; Custom RAL|Erikoisväri RAL:1",
    ),
    _feature(
        "paatyvari",
        "body",
        "End cap color|Päädyn väri; End colour|Päätykappaleen väri",
        "White|Valkoinen:6; Black|Musta:6; Grey|Harmaa:3",
    ),
    _feature(
        "materiaali",
        "body",
        "Material|Materiaali; Body material|Rungon materiaali",
        "Aluminium|Alumiini:8; Steel|Teräs:4; Stainless steel|Ruostumaton teräs:2; Polycarbonate|Polykarbonaatti:2",
    ),
    _feature(
        "pintakasittely",
        "body",
        "Surface treatment|Pintakäsittely",
        "Powder coated|Jauhemaalattu:8; Anodized|Anodisoitu:3; Untreated|Käsittelemätön:1",
    ),
    _feature(
        "paaty", "body", "End cap|Pääty; End piece|Päätykappale", "Flat|Suora:6; Angled|Viisto:2; Sealed|Tiivis:3"
    ),
    _feature(
        "kotelointi",
        "body",
        "IP rating|Kotelointiluokka; Protection class|IP-luokka",
        "20:5 44:3 54:4 65:6 66:2 67:1",
        "IP{}",
    ),
    _feature("iskunkestavyys", "body", "Impact resistance|Iskunkestävyys", "5 8:6 10:3", "IK{:0>2}"),
    # Light
    _feature(
        "teho",
        "light",
        "Power|Teho; Luminaire power|Valaisimen teho; Wattage|Ottoteho",
        "12:2 18:3 23:4 34:6 45:7 57:9 60:4 72:3 90:2 120:1 150:1",
        "{}W",
        "W",
    ),
    _feature(
        "valovirta",
        "light",
        "Luminous flux|Valovirta; Light output|Valaisimen valovirta",
        "1500:2 2400:3 3600:5 5200:7 7400:8 9800:5 14000:2 21000:1",
        "{} lm",
        "lm",
    ),
    _feature(
        "varilampotila",
        "light",
        "Color temperature|Värilämpötila; Colour temperature|Valon värilämpötila; CCT|Värilämpö",
        "2700:2 3000:6 3500:2 4000:9 5000:3 6500:1",
        "{}K",
        "K",
    ),
    _feature("cri", "light", "CRI|CRI; Colour rendering index|Värintoistoindeksi", "70:1 80:9 90:5 95:2", "CRI {}"),
    _feature(
        "optiikka",
        "light",
        "Optics|Optiikka; Lens|Linssi; Light distribution|Valonjako",
        "Wide|Leveä:7; Narrow|Kapea:5; Medium|Keskileveä:4; Asymmetric|Epäsymmetrinen:3; Opal|Opaali:6; "
        "Double asymmetric|Kaksoisepäsymmetrinen:2; Microprism|Mikroprisma:3",
    ),
    _feature("avauskulma", "light", "Beam angle|Avauskulma", "15:2 30:4 60:6 90:6 120:3", "{}°", "°"),
    _feature("ugr", "light", "Glare rating|Häikäisyindeksi; UGR|UGR", "16:2 19:7 22:5 25:2", "UGR < {}"),
    _feature("sdcm", "light", "Colour consistency|Värin tasaisuus; MacAdam|MacAdam", "2 3:8 5:2", "{} SDCM", "SDCM"),
    _feature(
        "ledimoduuli",
        "light",
        "LED module|LED-moduuli",
        "Linear G5|Linjamoduuli G5:6; Linear G6|Linjamoduuli G6:5; COB:3",
    ),
    _feature("ledirivit", "light", "LED rows|LED-rivit", "1:5 2:6 3:1", "{}"),
    _feature(
        "kupu",
        "light",
        "Cover|Kupu; Diffuser|Häikäisysuoja",
        "Clear|Kirkas:6; Opal|Opaali:6; Prismatic|Prismaattinen:3; None|Ei kupua:1",
    ),
    _feature("heijastin", "light", "Reflector|Heijastin", "White|Valkoinen:5; Matt|Matta:4; Glossy|Kiiltävä:2"),
    _feature("ylavalo", "light", "Uplight|Ylävalo; Indirect light|Epäsuora valo", "0:6 20:3 30:3 50:2", "{} %", "%"),
    _feature("elinika", "light", "Lifetime|Elinikä", "50000:5 70000:3 100000:6", "{} h", "h"),
    _feature("valotehokkuus", "light", "Efficacy|Valotehokkuus", "115:2 130:5 145:6 160:3 175:1", "{} lm/W", "lm/W"),
    # Electrical
    _feature(
        "ohjaus",
        "electrical",
        "Control|Ohjaus; Dimming|Himmennys; Control gear|Ohjaustapa",
        "On/off:6; DALI:9; DALI-2:5; 1-10 V:2; Casambi:3; Zigbee:1; Phase cut|Vaihehimmennys:1",
    ),
    _feature(
        "liitannat",
        "electrical",
        "Connections|Liitännät; Connector|Liitin",
        "Terminal block|Riviliitin:7; Wieland GST18:5; Wago Winsta:4; Ensto NET:3; Push-in|Pikaliitin:4",
    ),
    _feature(
        "kaapeli",
        "electrical",
        "Cable|Kaapeli; Cable length|Kaapelin pituus",
        "0.5:3 1:5 2:6 3:4 5:2 10:1",
        "{} m",
        "m",
    ),
    _feature(
        "kaapelityyppi",
        "electrical",
        "Cable type|Kaapelityyppi",
        "H05VV-F 3G1.5:6; H05VV-F 5G1.5:5; H07RN-F 3G1.5:2; Halogen free|Halogeeniton:3",
    ),
    _feature(
        "kaapelivari",
        "electrical",
        "Cable color|Kaapelin väri; Cord colour|Johdon väri",
        "White|Valkoinen:6; Black|Musta:5; Grey|Harmaa:2",
    ),
    _feature(
        "lapijohdotus",
        "electrical",
        "Through wiring|Läpijohdotus",
        "None|Ei läpijohdotusta:5; 3x1.5:4; 5x1.5:4; 5x2.5:3; 7x2.5:1",
    ),
    _feature(
        "jannite", "electrical", "Voltage|Jännite; Supply voltage|Syöttöjännite", "24:1 48:1 230:9 400:1", "{} V", "V"
    ),
    _feature("virta", "electrical", "Drive current|Ledivirta", "250 350:6 500 700:3", "{} mA", "mA"),
    _feature(
        "liitantalaite",
        "electrical",
        "Driver|Liitäntälaite; Ballast|Virtalähde",
        "Tridelta D:5; Helvar-like H|Hela H:4; Osmo O:4; External|Erillinen:2",
    ),
    _feature("tehokerroin", "electrical", "Power factor|Tehokerroin", "0.9 0.95:6 0.98", "{}"),
    _feature("ylijannitesuoja", "electrical", "Surge protection|Ylijännitesuoja", "2 4:6 6:3 10:1", "{} kV", "kV"),
    _feature(
        "suojausluokka",
        "electrical",
        "Electrical class|Suojausluokka",
        "Class I|Luokka I:8; Class II|Luokka II:3; Class III|Luokka III:1",
    ),
    _feature("vaihe", "electrical", "Phase|Vaihe", "L1:5; L2:4; L3:4"),
    # Safety
    _feature(
        "turvavalo",
        "safety",
        "Emergency light|Turvavalo; Emergency lighting|Turvavalaistus",
        "None|Ei turvavaloa:9; Central battery|Keskusakku:3; Self-contained|Akullinen:3",
    ),
    _feature("turvavaloaika", "safety", "Emergency duration|Turvavalon toiminta-aika", "1:6 3:4", "{} h", "h"),
    _feature("akku", "safety", "Battery|Akku", "LiFePO4:6; NiMH:3"),
    _feature("testaus", "safety", "Self test|Automaattitestaus", _YES_NO),
    _feature("palosuoja", "safety", "Fire protection|Palosuojaus", "Standard|Vakio:7; D-marked|D-merkitty:3"),
    _feature("hehkulanka", "safety", "Glow wire test|Hehkulankatesti", "650 850:6 960:2", "{} °C", "°C"),
    # Mounting
    _feature(
        "asennus",
        "mounting",
        "Mounting|Asennus; Installation|Asennustapa; Fixing|Kiinnitys",
        "Suspended|Ripustus:7; Surface|Pinta-asennus:7; Recessed|Uppoasennus:3; Track|Kosketinkisko:3; "
        "Wall|Seinäasennus:2",
    ),
    _feature(
        "ripustus",
        "mounting",
        "Suspension|Ripustin; Suspension kit|Ripustussarja",
        "Wire|Vaijeri:7; Chain|Ketju:3; Rod|Tanko:2; None|Ei ripustinta:3",
    ),
    _feature(
        "ripustuspituus",
        "mounting",
        "Suspension length|Ripustuspituus; Drop|Vaijerin pituus",
        "1000:4 1500:5 2000:4 3000:2 5000:1",
        "{} mm",
        "mm",
    ),
    _feature(
        "kiinnikkeet",
        "mounting",
        "Brackets|Kiinnikkeet; Number of brackets|Kiinnikkeiden määrä",
        "2:8 3:3 4:4",
        "{} pcs",
    ),
    _feature("asennuskorkeus", "mounting", "Mounting height|Asennuskorkeus", "2.5:3 3:5 4:4 6:4 8:3 12:2", "{} m", "m"),
    _feature("kallistus", "mounting", "Tilt|Kallistus", "0:7 15 30 45:1", "{}°", "°"),
    _feature(
        "kisko",
        "mounting",
        "Rail|Kisko; Track system|Kiskojärjestelmä",
        "Global:5; Eutrac-like|Eura:3; Own rail|Oma kisko:4",
    ),
    _feature(
        "liitoskappale", "mounting", "Joint|Liitoskappale; Coupler|Jatkokappale", "Straight|Suora:7; L:3; T:2; X:1"
    ),
    # Control and sensors
    _feature(
        "tunnistin",
        "control",
        "Sensor|Tunnistin; Presence sensor|Läsnäolotunnistin",
        "None|Ei tunnistinta:8; PIR:4; Microwave|Mikroaalto:3; Daylight|Päivänvalo:2",
    ),
    _feature("ohjausryhma", "control", "Control group|Ohjausryhmä", "1:6 2:4 3:3 4:2", "{}"),
    _feature("vakiovalo", "control", "Constant light output|Vakiovalovirta", _YES_NO),
    _feature("painike", "control", "Push button|Painike", _YES_NO),
    _feature("langaton", "control", "Wireless|Langaton ohjaus", "None|Ei langatonta:8; Bluetooth:4; Thread:2"),
    _feature("lampoanturi", "control", "Temperature sensor|Lämpötila-anturi", _YES_NO),
    # Environment and delivery
    _feature(
        "kayttolampotila",
        "delivery",
        "Ambient temperature|Käyttölämpötila; Max. ambient|Suurin ympäristölämpötila",
        "25:4 35:6 45:3 60:1",
        "{} °C",
        "°C",
    ),
    _feature("kylmakaynnistys", "delivery", "Cold start|Kylmäkäynnistys", "-20:6 -30:3 -40:1", "{} °C", "°C"),
    _feature(
        "pakkaus", "delivery", "Packaging|Pakkaus", "Single|Yksittäispakkaus:6; Bulk|Monipakkaus:4; Pallet|Lava:2"
    ),
    _feature("toimitusaika", "delivery", "Delivery time|Toimitusaika", "2:5 4:6 6:3 10:1", "{} weeks"),
    _feature("takuu", "delivery", "Warranty|Takuu; Warranty years|Takuuaika", "3:3 5:8 7:1 10:1", "{} years"),
    _feature(
        "merkinta",
        "delivery",
        "Marking|Merkintä; Label|Etiketti",
        "Standard|Vakio:7; Customer's|Asiakkaan:3; None|Ei merkintää:1",
    ),
    _feature("maara", "delivery", "Amount|Määrä; Quantity|Kappalemäärä", "1:3 2:3 4:4 10:4 24:3 60:2 150:1", "{}"),
    _feature(
        "kieli",
        "delivery",
        "Manual language|Ohjeen kieli",
        "Finnish|Suomi:7; Swedish|Ruotsi:4; English|Englanti:4; German|Saksa:1",
    ),
)

FEATURES: dict[str, Feature] = {feature.ext_id: feature for feature in _ALL}

# The screens, by the features' `tab`: (English, Finnish) names and, where the group is nested, the group it is under.
TABS: dict[str, tuple[str, str, str | None]] = {
    "body": ("Body", "Runko", None),
    "light": ("Light", "Valo", None),
    "electrical": ("Electrical", "Sähkö", None),
    "safety": ("Safety", "Turvallisuus", "electrical"),
    "mounting": ("Mounting", "Asennus", None),
    "control": ("Control", "Ohjaus", "electrical"),
    "delivery": ("Delivery", "Toimitus", None),
}
