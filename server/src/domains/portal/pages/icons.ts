import { Markup } from "#kernel/html/markup.ts";

/** Pictures by name, drawn with lines on a ground of 24 by 24. */
const LINES: Readonly<Record<string, string>> = {
  alert: '<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16.4v.1"/>',
  back: '<path d="M19 12H5m6-6-6 6 6 6"/>',
  book: '<path d="M4 5c3-1 5.5-.6 8 1 2.5-1.6 5-2 8-1v13.5c-3-1-5.5-.6-8 1-2.5-1.6-5-2-8-1zM12 6v13.5"/>',
  box: '<path d="m12 3 8 4.5v9L12 21l-8-4.5v-9zM4.2 7.7 12 12l7.8-4.3M12 12v9"/>',
  broken:
    '<path d="M14.5 6.5a4.5 4.5 0 0 0-6 5.8l-5 5a2 2 0 0 0 3 3l5-5a4.5 4.5 0 0 0 5.8-6L14.5 12 12 9.5z"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  chevron: '<path d="m9.5 6 6 6-6 6"/>',
  file: '<path d="M6 3h8l4 4v14H6zM14 3v4h4"/>',
  folder: '<path d="M3 6h6l2 2.5h10V19H3z"/>',
  key: '<circle cx="8" cy="15.5" r="4"/><path d="M11 12.5 20 4m-3.5 3.3 2.5 2.5"/>',
  laptop: '<path d="M5 5h14v10H5zM2.5 19h19"/>',
  monitor: '<path d="M3 4h18v12H3zM8.5 20h7M12 16v4"/>',
  people:
    '<circle cx="10" cy="8" r="3.5"/><path d="M3.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M18.5 8v6m3-3h-6"/>',
  phone: '<path d="M5 4h4l1.5 5-2.5 1.5a12 12 0 0 0 5.5 5.5l1.5-2.5 5 1.5v4c-8 1-16-7-15-15z"/>',
  plane: '<path d="M21 3 3 10.5l6.5 2.5L12 20zM9.5 13 21 3"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>',
  send: '<path d="M20.5 3.5 3.5 10l7 3 3 7.5zM10.5 13l10-9.5"/>',
  shield: '<path d="m12 3 8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z"/>',
};

/** Names that catalogs use for the same picture. */
const ALIASES: Readonly<Record<string, string>> = {
  computer: "laptop",
  access: "key",
  lock: "key",
  user: "people",
  "user-plus": "people",
  users: "people",
  mobile: "phone",
  smartphone: "phone",
  software: "box",
  package: "box",
  security: "shield",
  travel: "plane",
  wrench: "broken",
  document: "file",
};

/** Renders an icon by name; a box for an unknown name. */
export function icon(name: string | null): Markup {
  const known = name === null ? "box" : (ALIASES[name] ?? name);
  const lines = LINES[known] ?? LINES["box"] ?? "";
  return new Markup(`<svg viewBox="0 0 24 24" class="icon" aria-hidden="true">${lines}</svg>`);
}
