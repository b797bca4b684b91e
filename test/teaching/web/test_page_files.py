"""The page's own files: only these are served, and nothing in them needs what the CSP forbids."""

from __future__ import annotations

import gzip
import json
import posixpath
import re
from html.parser import HTMLParser

from cases import for_each

from gbs_irl_ros.teaching.web.server import PAGE, page_files

FILES = {file.relative_to(PAGE).as_posix(): file.read_text()
         for file in PAGE.rglob('*') if file.is_file()}
SCRIPTS = {name: text for name, text in FILES.items() if name.endswith('.js')}
TYPES = {'html': 'text/html', 'js': 'text/javascript', 'css': 'text/css', 'svg': 'image/svg+xml',
         'webmanifest': 'application/manifest+json'}
NAMESPACES = {'http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink'}


class Page(HTMLParser):
    """Collects what matters of index.html."""

    def __init__(self):
        super().__init__()
        self.tags, self.ids = [], []
        self.feed(FILES['index.html'])

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == 'id']

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)


def url_of(name):
    return '/' if name == 'index.html' else f'/{name}'


def version(page):
    """Return the folder from which the page takes its files; it changes when they do."""
    index = page.ask('GET', '/').body.decode()
    return re.search(r'src="/([0-9a-f]{16})/main.js"', index).group(1)


def served(page, name):
    """Return a file as it is served."""
    text = FILES[name]
    return text if name != 'index.html' \
        else re.sub(r'((?:href|src)="/)', rf'\g<1>{version(page)}/', text)


def without_comments(text):
    return re.sub(r'/\*.*?\*/|^\s*//.*?$', '', text, flags=re.S | re.M)


# ---- what is served -------------------------------------------------------------------------

@for_each('name', sorted(FILES))
def test_each_file_is_served_with_its_type(same_page, name):
    response = same_page.ask('GET', url_of(name))
    assert response.status == 200
    assert response.body.decode() == served(same_page, name)
    kind = TYPES[name.rpartition('.')[2]]
    assert response.headers.all('Content-Type') == [f'{kind}; charset=utf-8']


@for_each('name', sorted(FILES))
def test_each_file_is_packed_for_those_who_can_unpack_it(same_page, name):
    response = same_page.ask('GET', url_of(name), [('Accept-Encoding', 'gzip')])
    assert response.headers.get('Content-Encoding') == 'gzip'
    body = response.body
    if response.headers.get('Transfer-Encoding') == 'chunked':
        size, _, body = body.partition(b'\r\n')
        body = body[:int(size, 16)]
    assert gzip.decompress(body).decode() == served(same_page, name)


@for_each('name', sorted(set(FILES) - {'index.html'}))
def test_a_browser_may_keep_what_is_named_by_its_contents(same_page, name):
    kept = same_page.ask('GET', f'/{version(same_page)}/{name}')
    assert kept.body.decode() == FILES[name]
    assert kept.headers.all('Cache-Control') == ['private, max-age=31536000, immutable']
    assert same_page.ask('GET', f'/{name}').headers.all('Cache-Control') == ['no-store']


def test_a_changed_file_gets_another_name(monkeypatch, tmp_path):
    names = []
    for text in ('one', 'two'):
        for file in ('index.html', 'main.js'):
            (tmp_path / file).write_text(text)
        monkeypatch.setattr('gbs_irl_ros.teaching.web.server.PAGE', tmp_path)
        names += [path for path in page_files() if path.endswith('/main.js') and path[1] != 'm']
    assert len(set(names)) == 2


@for_each('target', [
    '/index.html', '/page/main.js', '/server.py', '/../server.py', '/../../web/server.py',
    '/%2e%2e/server.py', '/%2e%2e%2fserver.py', '/..%2fserver.py', '/..%5cserver.py',
    '/....//server.py', '//main.js', '//etc/passwd', '/etc/passwd', '/./main.js', '/main.js/',
    '/main.js/..', '/main.js%00', '/main.js%00.html', '/MAIN.JS', '/main.js;x', '/%2fmain.js',
    '/static/../main.js', '/%252e%252e/server.py', '/.git/config', '/favicon.ico', '/robots.txt',
    '/..', '/%c0%ae%c0%ae/server.py', '/__init__.py', '/main.js%20', '/\\..\\server.py'])
def test_nothing_else_is_served(same_page, target):
    response = same_page.ask('GET', target)
    assert response.status in (400, 404)
    assert len(response.body) < 200
    assert b'import' not in response.body


@for_each('target', ['/..%2fstate', '/%2e%2e/api/state', '/x/../api/state'])
def test_no_way_around_leads_to_what_needs_the_token(same_page, target):
    response = same_page.ask('GET', target)
    assert response.status in (400, 401, 404)


def test_the_server_knows_no_other_ways(same_page):
    known = {(route.method, route.resource.canonical)
             for route in same_page.server._runner.app.router.routes()}
    kept = {f'/{version(same_page)}/{name}' for name in FILES if name != 'index.html'}
    read = {*map(url_of, FILES), *kept, '/api/state', '/api/live', '/languages.json',
            '/languages/de.json'}
    assert known == {(method, path) for path in read for method in ('GET', 'HEAD')} \
        | {('POST', '/api/{command}')}


def test_the_whole_page_is_small():
    assert sum(len(text.encode()) for text in FILES.values()) < 350_000


# ---- what is in them ------------------------------------------------------------------------

def test_nothing_comes_from_other_servers():
    for name, text in FILES.items():
        found = set(re.findall(r"""(?:https?|wss?|ftp|data|blob):(?:[^\s'"`<>)]+)""", text))
        found -= NAMESPACES
        found -= {'ws://${location.host}/api/live'}
        assert not found, f'{name}: {found}'
        assert not re.findall(r"""(?:src|href|action)\s*=\s*["']//""", text), name
    for name in FILES:
        assert not name.endswith('.css') or not re.findall(r'@import|url\(', FILES[name]), name


def test_the_page_has_no_script_and_no_style_of_its_own():
    """The policy would block them."""
    tags = Page().tags
    assert not [tag for tag, _ in tags if tag in ('style', 'base', 'iframe', 'object', 'embed')]
    for tag, attributes in tags:
        assert 'style' not in attributes, (tag, attributes)
        assert not [name for name in attributes if name.startswith('on')], (tag, attributes)
        assert tag != 'script' or attributes.get('src'), (tag, attributes)
        assert not (attributes.get('href') or '').startswith('javascript:')
        assert tag != 'meta' or 'http-equiv' not in attributes
    assert not re.search(r'<script[^>]*>[^<]', FILES['index.html'])
    for name, text in FILES.items():
        if name.endswith('.svg'):
            assert not re.search(r'<script|<style|\son\w+=|style=|<foreignObject', text), name


FORBIDDEN = [
    r'innerHTML', r'outerHTML', r'insertAdjacentHTML', r'document\.write', r'\beval\b',
    r'new\s+Function\b', r'\bFunction\s*\(', r'srcdoc', r'createContextualFragment', r'DOMParser',
    r'setHTML', r"""set(?:Timeout|Interval)\(\s*['"`]""", r'\bimport\s*\(', r'javascript:',
    r"""setAttribute\(\s*['"](?:on\w+|style|srcdoc)['"]""", r'\bdocument\.cookie\b',
    r'cssText', r'\bimportScripts\b', r"""\bstyle\s*:\s*['"`]""", r'\bdocument\.domain\b',
    r"""postMessage\([^)]*['"]\*['"]"""]


@for_each('name', sorted(SCRIPTS))
def test_no_script_makes_markup_of_text(name):
    code = without_comments(SCRIPTS[name])
    for pattern in FORBIDDEN:
        assert not re.search(pattern, code), pattern


@for_each('line', [
    'box.innerHTML = name;', 'x.outerHTML', 'e.insertAdjacentHTML("a", b)', 'document.write(a)',
    'eval(a)', 'window.eval(a)', 'new Function("a")', 'setTimeout("a()", 1)',
    "e.setAttribute('onclick', a)", "await import('./a.js')"])
def test_the_detector_knows_such_lines(line):
    assert any(re.search(pattern, without_comments(line)) for pattern in FORBIDDEN)


def test_all_files_that_the_page_names_exist():
    named = {attributes.get('src') or attributes.get('href') for tag, attributes in Page().tags
             if tag in ('script', 'link', 'img', 'a')} - {None}
    assert '/main.js' in named
    assert {name for name in named if name.lstrip('/') not in FILES} == set()
    manifests = [name for name in FILES if name.endswith('.webmanifest')]
    for name in manifests:
        icons = json.loads(FILES[name]).get('icons', [])
        assert {icon['src'].lstrip('/') for icon in icons} <= set(FILES)


def imports(name):
    """Return (names, file) of each import of a script."""
    text = without_comments(SCRIPTS[name])
    found = re.findall(
        r"""(?:import|export)\s*(?:\{([^}]*)\}\s*from)?\s*['"]([^'"]+)['"]""", text)
    assert len(re.findall(r'^import\b', text, re.M)) == len(found)
    assert all(file.startswith(('./', '../')) for _, file in found), found
    return [(names, posixpath.normpath(posixpath.join(posixpath.dirname(name), file)))
            for names, file in found]


def exports(text):
    return set(re.findall(r'^export (?:async )?(?:const|let|function\*?|class) (\w+)', text, re.M))


@for_each('name', sorted(SCRIPTS))
def test_everything_that_a_script_imports_is_there(name):
    for names, file in imports(name):
        assert file in SCRIPTS, file
        wanted = {each.split(' as ')[0].strip() for each in names.split(',')} - {''}
        assert wanted <= exports(SCRIPTS[file]), file


def test_every_script_is_used():
    used, left = set(), re.findall(r'<script[^>]* src="/([^"]+)"', FILES['index.html'])
    while left:
        name = left.pop()
        if name not in used:
            used.add(name)
            left += [file for _, file in imports(name)]
    assert used == set(SCRIPTS)


@for_each('name', sorted(SCRIPTS))
def test_every_text_that_a_script_shows_is_there(name):
    blocks = re.findall(
        r'^export const ([A-Z_]+) = \{\n(.*?)^\};', SCRIPTS['texts.js'], re.M | re.S)
    texts = {block: re.findall(r"^  '?([^ ':]+)'?: ", body, re.M) for block, body in blocks}
    assert len(texts) > 10
    wanted = re.findall(r'\b([A-Z_]{3,})\.(\w+)', without_comments(SCRIPTS[name]))
    assert [(block, each) for block, each in wanted
            if block in texts and each not in texts[block]] == []


def test_the_words_of_the_page_are_all_in_one_place():
    """Another language needs texts.js and labels.js alone."""
    labels = set(re.findall(r'^  (\w+): ', SCRIPTS['labels.js'], re.M))
    wanted = {value for _, attributes in Page().tags for name, value in attributes.items()
              if name in ('data-text', 'data-label')}
    assert wanted <= labels
    used = {each for text in SCRIPTS.values() for each in re.findall(r'LABELS\.(\w+)', text)}
    assert labels == wanted | used
    body = re.sub(r'(?s)^.*<body>|<noscript>.*', '', FILES['index.html'])
    assert re.findall(r'>\s*([^<>\s][^<>]*)<', body) == ['×']


@for_each('name', sorted(SCRIPTS))
def test_a_script_is_narrow_enough_to_be_read_side_by_side(name):
    assert [line for line in SCRIPTS[name].splitlines()
            if len(line) > 99 or line != line.rstrip()] == []


def test_every_id_is_there_once():
    ids = Page().ids
    assert sorted(set(ids)) == sorted(ids)


@for_each('name', sorted(SCRIPTS))
def test_every_element_that_a_script_looks_for_is_in_the_page(name):
    wanted = set(re.findall(r"""(?:byId|getElementById)\(\s*['"]([^'"]+)['"]""", SCRIPTS[name]))
    wanted |= set(re.findall(r"""querySelector(?:All)?\(\s*['"]#([\w-]+)""", SCRIPTS[name]))
    assert wanted <= set(Page().ids)


def test_the_labels_of_the_page_name_elements_of_it():
    page = Page()
    for _, attributes in page.tags:
        for name in ('aria-labelledby', 'aria-describedby', 'aria-controls', 'for'):
            for each in (attributes.get(name) or '').split():
                assert each in page.ids, (name, each)
