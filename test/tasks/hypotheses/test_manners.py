"""Names for rewards that are given by weights."""

from __future__ import annotations

from cases import for_each

from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.hypotheses.manners import manner


@for_each('weights, name', [
    ({'crashes': -10.0, 'the shoulder': -1.0, 'changing lanes': -0.1},
     'avoids crashes, dislikes the shoulder'),
    ({'crashes': -1.0, 'the shoulder': -1.0}, 'avoids crashes and the shoulder'),
    ({'crashes': -0.1}, 'avoids crashes'),
    ({'the sofa': 2.0, 'the rug': -0.5}, 'dislikes the rug, likes the sofa'),
    ({'the sofa': 2.0, 'the rug': -1.0, 'the bed': 0.1},
     'avoids the rug, likes the sofa and the bed'),
    ({'the sofa': 2.0, 'the bed': 0.09, 'the rug': 0.0}, 'likes the sofa'),
    ({'the sofa': 0.0}, 'minds nothing'), ({}, 'minds nothing')])
def test_words_follow_from_sizes_and_signs(weights, name):
    assert manner(weights.items()) == name


def test_the_names_of_the_driver_have_no_weights():
    names = load_task('driver').names
    assert 'drive safely' in names
    assert not any(character.isdigit() for name in names for character in name)
    assert len(set(names)) > 300
    assert any('avoids crashes' in name and 'dislikes the shoulder' in name for name in names)
