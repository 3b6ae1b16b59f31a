/**
 * The program that scales images in a separate process: decoders are written in C, and images are untrusted. It only
 * accepts the formats that browsers show; other decoders are never used. Only the pixels are copied to the scaled
 * image.
 */
import sharp from "sharp";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import { PIXELS_MAX, type PictureTask } from "./picture-limits.ts";

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpeg",
    "VipsForeignLoadPng",
    "VipsForeignLoadNsgif",
    "VipsForeignLoadWebp",
    "VipsForeignLoadHeif",
  ],
});

async function shrink({ bytes, edge }: PictureTask): Promise<Uint8Array | undefined> {
  try {
    const picture = sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: "error", pages: 1 });
    return await picture
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer();
  } catch {
    return undefined;
  }
}

process.on("message", (task: PictureTask) => {
  void shrink(task).then((picture) => process.send?.({ picture }));
});
// The server has ended.
process.on("disconnect", () => process.exit());
process.send?.(READY_MESSAGE);
