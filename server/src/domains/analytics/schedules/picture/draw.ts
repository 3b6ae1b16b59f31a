/** Pictures of charts, drawn without a browser. */
import { drawPicture, type Figure } from "@millrace/client/chart";
import { toSvg } from "./svg.ts";

const WIDTH_PX = 600;
/** The pixel density of a high-resolution screen. */
const DENSITY_DPI = 144;

export interface DrawnChart {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  /** The number of rows that are not shown. */
  readonly left: number;
}

/** The image of a figure; undefined if text and tables show it better. */
export async function drawChart(figure: Figure): Promise<DrawnChart | undefined> {
  const picture = drawPicture(figure, WIDTH_PX);
  if (!picture) return undefined;
  // Loaded on first use: many installations send no images, and the library needs memory.
  const { default: sharp } = await import("sharp");
  const svg = Buffer.from(toSvg(picture));
  const png = await sharp(svg, { density: DENSITY_DPI }).png({ compressionLevel: 9 }).toBuffer();
  const { width, height, left } = picture;
  return { png, width, height, left };
}
