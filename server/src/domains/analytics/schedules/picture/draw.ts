/** Pictures of charts, drawn without a browser. */
import { drawPicture, type Figure } from "@millrace/client/chart";
import { toSvg } from "./svg.ts";

const WIDTH_PX = 600;
/** Of the pixels of a sharp screen. */
const DENSITY_DPI = 144;

export interface DrawnChart {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  /** How many rows are not in it. */
  readonly left: number;
}

/** The picture of a figure; undefined where words and tables say it better. */
export async function drawChart(figure: Figure): Promise<DrawnChart | undefined> {
  const picture = drawPicture(figure, WIDTH_PX);
  if (!picture) return undefined;
  // Loaded at the first picture: many installations send none, and it takes memory.
  const { default: sharp } = await import("sharp");
  const svg = Buffer.from(toSvg(picture));
  const png = await sharp(svg, { density: DENSITY_DPI }).png({ compressionLevel: 9 }).toBuffer();
  const { width, height, left } = picture;
  return { png, width, height, left };
}
