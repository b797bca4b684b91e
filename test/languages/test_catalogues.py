"""Every sentence of the code is in every catalogue, and nothing else; and catalogues are read."""

from __future__ import annotations

import json
import re
from string import Formatter

import pytest
from cases import for_each
from sentences_in_code import page_sentences, python_sentences, wanted_sentences

from gbs_irl_ros.languages.catalogue import OWN_FOLDER, CatalogueError, catalogue, languages
from gbs_irl_ros.languages.recognising import said_again
from gbs_irl_ros.languages.speaking import (
    again,
    figures,
    in_language,
    language,
    percent,
    tr,
    tr_count,
    wanted_language,
)
from gbs_irl_ros.tasks.translated import said_name

TRANSLATED = [code for code in languages() if code != 'en']


def placeholders(text):
    return sorted(f'{name}!{conversion}:{form}' for _, name, form, conversion
                  in Formatter().parse(text) if name is not None)


def test_the_scanner_finds_sentences_of_each_kind():
    plain, counted = python_sentences()
    assert {'yes', 'the goal is reached', 'go here', 'STOP', '{number}%'} <= set(plain)
    assert counted['{count} states'][0] == '{count} state'
    plain, counted = page_sentences()
    assert {'Connected', 'Zoom in', 'I ask, you answer'} <= set(plain)
    assert counted['{count} steps.'][0] == '{count} step.'


@for_each('code', TRANSLATED)
def test_a_catalogue_has_every_sentence_and_no_other(code):
    known, needed = catalogue(code).sentences, wanted_sentences()
    assert sorted(set(needed) - set(known)) == [], f'{code}.json lacks these'
    assert sorted(set(known) - set(needed)) == [], f'{code}.json has these, which nothing says'


@for_each('code', TRANSLATED)
def test_a_sentence_keeps_its_placeholders(code):
    singular = wanted_sentences()
    for english, said in catalogue(code).sentences.items():
        if isinstance(said, str):
            assert singular[english] is None, f'{english!r} counts something: two forms'
            assert placeholders(said) == placeholders(english), english
        else:
            one, many = said
            assert placeholders(many) == placeholders(english), english
            assert placeholders(one) in (placeholders(english), placeholders(singular[english]))


def test_a_catalogue_is_kept_in_the_order_of_nothing_but_itself():
    """No key twice: a later one would replace the earlier silently."""
    for code in TRANSLATED:
        [file] = languages()[code]
        keys = [key for key, _ in json.loads(file.read_text(), object_pairs_hook=list)]
        assert len(keys) == len(set(keys))


def test_what_is_said_follows_the_language():
    assert (tr('yes'), language()) == ('yes', 'en')
    with in_language('de'):
        assert (tr('yes'), language()) == ('ja', 'de')
        assert tr('state {state}', state=3) == 'Zustand 3'
        assert [tr_count(count, '{count} state', '{count} states') for count in (0, 1, 2)] \
            == ['0 Zustände', '1 Zustand', '2 Zustände']
        assert (figures(0.25), percent(0.995)) == ('0,25', '99,5 %')
        assert tr('no such sentence {x:.2f}', x=1.5) == 'no such sentence 1,50'
    with in_language('tlh'):
        assert tr('yes') == 'yes'
    assert (figures(0.25), percent(0.995)) == ('0.25', '99.5%')


def test_a_sentence_can_be_said_again_in_another_language():
    said = tr('The robot was stopped on its way: {why}', why=tr('somebody has pressed STOP'))
    with in_language('de'):
        assert again(said) == \
            'Der Roboter wurde unterwegs angehalten: jemand hat STOPP gedrückt'
        assert again('as it is') == 'as it is'


@for_each('parameter, environment, code', [
    ('', {}, 'en'), ('', {'LANG': 'de_AT.UTF-8'}, 'de'), ('', {'LANG': 'C.UTF-8'}, 'en'),
    ('', {'LANG': 'tlh'}, 'en'), ('', {'LANG': 'en_GB', 'LC_ALL': 'de_DE'}, 'de'),
    ('en', {'LANG': 'de_DE'}, 'en'), ('de', {}, 'de')])
def test_the_parameter_counts_then_the_environment(parameter, environment, code):
    assert wanted_language(parameter, environment) == code


def test_a_language_that_is_not_there_is_refused():
    with pytest.raises(CatalogueError, match=re.escape(
            "there is no language 'tlh'; expected one of ['en', 'de']")):
        wanted_language('tlh', {})


def test_a_folder_may_add_languages(tmp_path, monkeypatch):
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path))
    (tmp_path / 'fr.json').write_text('{"": {"name": "Français", "decimal": ","}, "yes": "oui"}')
    assert list(languages()) == ['en', 'de', 'fr']
    (tmp_path / 'de.json').write_text(
        '{"": {"name": "Deutsch", "decimal": ","}, "workbench": "Werkbank", "no": "nö"}')
    with in_language('fr'):
        assert [tr('yes'), tr('no')] == ['oui', 'no']
    with in_language('de'):
        assert [tr('workbench'), tr('yes'), tr('no')] == ['Werkbank', 'ja', 'nö']


@for_each('text, told', [
    ('[', 'not JSON'), ('{}', 'the key "" must have'), ('[]', 'the key "" must have'),
    ('{"": {"name": "X", "decimal": ","}, "yes": 3}', "'yes' must have one sentence"),
    ('{"": {"name": "X", "decimal": ","}, "yes": ["a"]}', "'yes' must have one sentence")])
def test_a_file_that_is_not_a_catalogue_is_refused(tmp_path_factory, text, told):
    folder = tmp_path_factory.mktemp('languages')
    (folder / 'xx.json').write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OWN_FOLDER, str(folder))
        with pytest.raises(CatalogueError, match=re.escape(told)):
            catalogue('xx')


def test_what_another_node_has_said_in_english_is_said_again():
    replies = {
        'Thank you: 6 of the 30 tasks I know end there. But none of them fits what you said '
        'before: go to desk. Both count; if one of them was a slip, take it back.':
            'Danke: 6 der 30 Aufgaben, die ich kenne, enden dort. Aber keine davon passt zu dem, '
            'was du vorher gesagt hast: Ziel: Schreibtisch. Beides zählt. War eines ein '
            'Versehen, dann nimm es zurück.',
        'somebody has pressed STOP: let it drive again on the page or in the terminal, or call '
        'the service ~/go with {stops: 3}':
            'jemand hat STOPP gedrückt: Lass ihn auf der Seite oder im Terminal wieder fahren, '
            'oder ruf den Dienst ~/go mit {stops: 3}',
        'there is no lesson yet: waiting for the task: is the mdp node running?':
            'es gibt noch keine Stunde: wartet auf die Aufgabe: Läuft der Knoten mdp?',
        'go to (3, 4): that may be meant now': 'Ziel: (3, 4): Das kann jetzt gemeint sein',
        'yes': 'ja', '': '', 'the disk is full': 'the disk is full', 'a' * 5000: 'a' * 5000,
        'a. ' * 300: 'a. ' * 300}
    for english, german in replies.items():
        assert said_again(english, said_name) == english
        with in_language('de'):
            assert said_again(english, said_name) == german


def test_every_sentence_with_data_is_recognised():
    """Whatever its data are: it is filled in, taken apart, and said as if it were said here."""
    def filled(text):
        return re.sub(r'\{(\w+)[^{}]*\}', lambda field: f'<{field[1]}>', text)
    for code in TRANSLATED:
        tried = [(english, said) for english, said in catalogue(code).sentences.items()
                 if isinstance(said, str) and re.search(r'\{\w', english)
                 and '{{' not in english and len(re.findall('[a-z]', english)) > 40]
        assert len(tried) > 50
        with in_language(code):
            assert [english for english, said in tried
                    if said_again(filled(english)) != filled(said)] == []
