"""Nothing that is shown plays tricks on a terminal."""

from __future__ import annotations

import sys
import unicodedata

from gbs_irl_ros.core.printable import (
    LONGEST,
    LONGEST_NUMBER,
    ShortNumber,
    has_controls,
    one_line,
    printable,
)


def test_what_a_terminal_would_obey_is_made_visible():
    assert printable('a\x1b[2Jb\rc\x07\td\x9b1m\x00') == r'a\x1b[2Jb\rc\x07\td\x9b1m\x00'
    assert printable('\u202egnp.exe \u2066\u2028x\udc80') == r'\u202egnp.exe \u2066\u2028x\udc80'


def test_words_in_any_language_stay_as_they_are():
    for text in ('goal', 'é ç → 漢 🤖', 'می\u200cخواهم', 'two\nlines', ''):
        assert printable(text) == text
    assert printable(KeyError('a')) == "'a'"


def test_every_control_character_of_unicode_is_one():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in ('Cc', 'Cs', 'Zl', 'Zp') \
                or unicodedata.bidirectional(character) in (
                    'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'):
            assert has_controls(character), hex(code)
            assert character == '\n' or printable(character).isascii(), hex(code)


def test_a_line_stays_one_line():
    assert one_line('a\n[INFO] b\x1b') == r'a\n[INFO] b\x1b'


def test_what_nobody_would_read_is_cut():
    text = printable('x' * 5_000_000)
    assert text == 'x' * LONGEST + ' ... (5000000 characters)'
    assert printable('abcdef', longest=3) == 'abc ... (6 characters)'


def test_a_number_is_shown_in_a_few_characters_however_large_it_is():
    said = {1.234: '1.23', -1e6: '-1000000.00', 1e308: '1e+308', -1.5e200: '-1.5e+200',
            float('inf'): 'inf', float('nan'): 'nan'}
    assert {number: f'{ShortNumber(number):.2f}' for number in said} == said
    assert f'{ShortNumber(1e300):.1%}' == '1e+300'
    assert max(len(f'{ShortNumber(10.0 ** power):.3f}') for power in range(-300, 308)) \
        <= LONGEST_NUMBER
