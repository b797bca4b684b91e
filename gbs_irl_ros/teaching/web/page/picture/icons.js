// Small signs for places with a usual name: 24 by 24, drawn with lines.

const ICONS = [
  [/kitchen|cook|stove/, 'M5 3v8a2 2 0 0 0 4 0V3M7 11v10M17 3c-3 2-3 7 0 9v9'],
  [/sofa|couch|settee|lounge|living/,
    'M5 11V8a3 3 0 0 1 3-3h8a3 3 0 0 1 3 3v3M3 11h3v4h12v-4h3v8H3z'],
  [/desk|table|office|work/, 'M2 9h20M5 9v10M19 9v10M12 9v5h7'],
  [/bed/, 'M3 18V6M3 14h18v4M21 14v-2a3 3 0 0 0-3-3h-7v5M7 11h.1'],
  [/door|exit|entrance/, 'M6 21V3h11v18M3 21h18M14 12h.1'],
  [/carpet|rug|mat\b/, 'M4 7h16v10H4zM4 4v3M9 4v3M15 4v3M20 4v3M4 17v3M9 17v3M15 17v3M20 17v3'],
  [/toy|block|lego|brick/, 'M4 13h8v8H4zM12 13h8v8h-8zM8 5h8v8H8z'],
  [/printer/, 'M7 8V3h10v5M4 8h16v8h-3v5H7v-5H4z'],
  [/plant|garden/, 'M12 21v-9M12 12C12 7 8 5 4 5c0 5 4 7 8 7zM12 12c0-4 4-6 8-6 0 4-4 6-8 6z'],
  [/cable|wire|plug|charg|dock/, 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4'],
];

/** The sign of a place by its name, '' if it has none. */
export function iconOf(name) {
  return ICONS.find(([names]) => names.test(name.toLowerCase()))?.[1] ?? '';
}
