/** A chart as a standalone SVG, in the light colors of the console, with letters as outlines. */
import type { Picture, Shape } from "@millrace/client/chart";
import { markup } from "#kernel/html/markup.ts";
import { OUTLINES } from "./glyphs.ts";

const EM_UNITS = 250;
const TEXT_PX = { "chart-label": 11, "chart-name": 12 } as const;

/** The series in the order of the console's tokens. */
const SERIES = ["#007696", "#aa6412", "#1c7f4c", "#7a53b4", "#c8393a", "#577382"];
const BEFORE = "#c9cfd2";
const LINE = "#dfe4e6";
const GROUND = "#eff2f4";
const INK = "#131c22";
const INK_3 = "#656d73";
/** The share of the base color in a heat map cell, by level. */
const HEAT = [0, 0.08, 0.16, 0.26, 0.36, 0.88, 0.92, 0.96, 1];

type Attributes = Readonly<Record<string, string | number>>;

/** A picture as the text of an SVG file. */
export function toSvg({ width, height, shapes }: Picture): string {
  const body = shapes.map(toElement).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#fff"/>${body}</svg>`;
}

function toElement(shape: Shape): string {
  const { tag, attributes, text, children = [] } = shape;
  const { class: name = "", ...rest } = attributes;
  const classes = String(name).split(" ");
  if (tag === "text") return textElement(text ?? "", classes, rest);
  const written = writeAttributes({ ...rest, ...paintOf(classes) });
  return `<${tag}${written}>${children.map(toElement).join("")}</${tag}>`;
}

function writeAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join("");
}

const escape = (text: string): string => markup`${text}`.text;

/** The colors of a shape by its classes, as in the console's style sheet. */
function paintOf(classes: readonly string[]): Attributes {
  const series = classes.find((name) => name.startsWith("series-"));
  const colour = classes.includes("before")
    ? BEFORE
    : (SERIES[Number(series?.slice("series-".length) ?? 0)] ?? INK);
  const [kind = ""] = classes;
  switch (kind) {
    case "chart-rule":
      return { stroke: LINE };
    case "chart-line":
      return {
        fill: "none",
        stroke: colour,
        "stroke-width": 1.75,
        "stroke-linejoin": "round",
        ...(classes.includes("before") && { "stroke-dasharray": "4 3" }),
      };
    case "chart-area":
      return { fill: colour, "fill-opacity": 0.14 };
    case "chart-bar":
    case "chart-dot":
      return { fill: colour };
    case "chart-ground":
      return { fill: GROUND };
    case "chart-step":
      return { fill: SERIES[0] ?? INK, "fill-opacity": 0.26 };
    case "chart-heat":
      return heatPaint(classes);
    default:
      return {};
  }
}

function heatPaint(classes: readonly string[]): Attributes {
  const strength = Number(classes.find((name) => name.startsWith("heat-"))?.slice("heat-".length));
  const share = HEAT[strength] ?? 0;
  return share === 0 ? { fill: GROUND } : { fill: SERIES[0] ?? INK, "fill-opacity": share };
}

interface Glyph {
  readonly width: number;
  readonly path: string;
}

const GLYPHS: ReadonlyMap<string, Glyph> = new Map(
  OUTLINES.map((line) => {
    const end = line.indexOf(" ", 1);
    return [line.charAt(0), { width: Number(line.slice(1, end)), path: line.slice(end + 1) }];
  }),
);

/** The letters that no XML may have, not even escaped. */
// oxlint-disable-next-line no-control-regex
const NO_XML = /[\u0000-\u001f\ufffe\uffff]/g;
/** The maximum number of letters: more do not fit, and each is a path. */
const LETTERS_MAX = 100;

/** A text as outlines; a text with unsupported letters uses the fonts of the machine. */
function textElement(whole: string, classes: readonly string[], at: Attributes): string {
  const text = whole.slice(0, LETTERS_MAX).replaceAll(NO_XML, " ").toWellFormed();
  const isName = classes.includes("chart-name");
  const size = TEXT_PX[isName ? "chart-name" : "chart-label"];
  const fill = isName ? INK : INK_3;
  const glyphs = Array.from(text, (letter) => GLYPHS.get(letter));
  if (glyphs.includes(undefined)) {
    const font = { "font-family": "sans-serif", "font-size": size, fill };
    return `<text${writeAttributes({ ...at, ...font })}>${escape(text)}</text>`;
  }
  const scale = size / EM_UNITS;
  const width = glyphs.reduce((sum, glyph) => sum + (glyph?.width ?? 0), 0) * scale;
  const anchor = at["text-anchor"];
  const shift = anchor === "end" ? width : anchor === "middle" ? width / 2 : 0;
  let x = 0;
  const paths = glyphs.map((glyph) => {
    const here = x;
    x += glyph?.width ?? 0;
    const path = glyph?.path ?? "";
    return path === "" ? "" : `<path transform="translate(${here} 0)" d="${path}"/>`;
  });
  const place = `translate(${round(Number(at["x"]) - shift)} ${round(Number(at["y"]))}) scale(${scale})`;
  return `<g transform="${place}" fill="${fill}">${paths.join("")}</g>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;
