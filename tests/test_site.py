"""The site file: what is wrong in it is said by its entry, and nothing in it is passed over without a word."""

from pathlib import Path

import pytest

from cpq_graph.errors import ConfigurationError
from cpq_graph.settings import CHECKOUT
from cpq_graph.site import read_site

DEFAULT = (CHECKOUT / "extract" / "source" / "site.toml").read_text(encoding="utf-8")


def said(tmp_path: Path, text: str) -> str:
    """The message about a file that is wrong."""
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as raised:
        read_site(tmp_path)
    assert str(tmp_path / "site.toml") in raised.value.message
    return raised.value.message


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('final_statuses = ["FINALIZED", "ORDERED"]', "final_statuses = []", "final_statuses"),
        ("final_statuses", "final_status", "final_status"),
        ("# period_from = 2024-01-01", "period_from = 'spring'", "period_from"),
        ('element = ["Tab"]', "element = []", "xml.tab.element"),
        (
            'element = ["Tab"]',
            'element = ["Parameter"]',
            "xml.parameter.element: Parameter is the element of xml.tab already",
        ),
        ('element = ["Tab"]', 'element = ["c:Tab"]', "write Tab: namespaces are ignored"),
        ('element = ["Tab"]', 'element = ["Tab name"]', "'Tab name' is no element's name"),
        (
            'measure = ["@measure"]',
            'mesure = ["@measure"]',
            "xml.value.fields.mesure: there is no such field; there",
        ),
        ('measure = ["@measure"]', 'measure = ["Measure/@x"]', "xml.value.fields.measure: 'Measure/@x' is neither"),
        ('measure = ["@measure"]', 'measure = ["@c:measure"]', "write measure: namespaces are ignored"),
        ('value = ["@value"]', "value = []", "xml.attribute.fields.value: must say where it is"),
        (', value = ["@value"]', "", "xml.attribute.fields.value: must say where it is"),
        ("[xml.tab]", "[xml.tabs]", "xml.tab"),
        ("[xml.tab]", "[xml.tab", "not valid TOML"),
        # A parameter's text that its value, too, could be.
        (
            'fields = { id = ["@id"], name = ["@name"] }\n\n[xml.value]',
            'fields = { id = ["@id"], name = ["ParameterValue"] }\n\n[xml.value]',
            "xml.parameter.fields: ParameterValue is the element of xml.value, which stands in it",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, expected: str) -> None:
    assert before in DEFAULT
    assert expected in said(tmp_path, DEFAULT.replace(before, after, 1))


def test_one_name_may_stand_without_brackets(tmp_path: Path) -> None:
    text = DEFAULT.replace('["Tab"]', '"Tab"').replace('["@measure"]', '"@measure"').replace('["@value"]', '"."')
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    mapping = read_site(tmp_path).xml
    assert mapping.tab.element == ("Tab",)
    assert mapping.value.fields["measure"] == ("@measure",)
    assert mapping.attribute.fields["value"] == (".",)
