import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { download, upload } from "../testing/upload.ts";

const world = await useWorld();
const agent = await world.member(["agent"]);

const photo = (format: "png" | "jpeg" | "webp" | "gif" | "avif", width = 800, height = 600) =>
  sharp({ create: { width, height, channels: 3, background: "#0a7" } })
    .withExif({ IFD0: { Copyright: "somebody at home" } })
    [format]()
    .toBuffer();

async function thumbnailOf(content: Buffer, edge = 96) {
  const { body } = await upload(world, agent, content, { name: "picture" });
  const path = `/api/v1/files/${body.data.id}/thumbnail?edge=${edge}`;
  return { file: body.data, ...(await download(world, agent, path)) };
}

test("creates thumbnails for all image formats of browsers, containing only pixels", async () => {
  for (const format of ["png", "jpeg", "webp", "gif", "avif"] as const) {
    const small = await thumbnailOf(await photo(format));
    expect([format, small.status, small.headers["content-type"]]).toEqual([
      format,
      200,
      "image/webp",
    ]);
    const { width, height, exif } = await sharp(small.bytes).metadata();
    expect([width, height, exif]).toEqual([96, 72, undefined]);
    const size = [small.file.width, small.file.height];
    // The header of AVIF is a tree of boxes, which is not parsed here.
    expect(size).toEqual(format === "avif" ? [null, null] : [800, 600]);
  }
  const stored = await world.sql("select edge from thumbnails");
  expect(stored).toHaveLength(5);
});

/** A tiny image file that declares four billion pixels, with a part of them. */
function bomb(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(65_000, 0);
  header.writeUInt32BE(65_000, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(10_000_000));
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

test("does not create thumbnails for hostile images, and other images are not affected", async () => {
  const png = await photo("png");
  const hostile: readonly (readonly [string, Buffer])[] = [
    ["a bomb", bomb()],
    ["cut off", png.subarray(0, 60)],
    ["only a header", png.subarray(0, 33)],
    ["an archive", Buffer.from("504b0304140000000800", "hex")],
    [
      "a drawing",
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
      ),
    ],
    ["a text", Buffer.from("P3 1 1 255 0 0 0")],
  ];
  for (const [name, content] of hostile) {
    const { status } = await thumbnailOf(content);
    expect([name, status]).toEqual([name, 404]);
  }
  expect((await thumbnailOf(png, 320)).status).toBe(200);
});

test("a signed address also serves the thumbnail", async () => {
  const { body } = await upload(world, agent, await photo("jpeg"), { name: "a.jpg" });
  const link = await agent(`GET /api/v1/files/${body.data.id}/link`);
  const path = new URL(link.body.data.url).pathname;
  const small = await world.app.inject({ method: "GET", url: `${path}?edge=96` });
  expect([small.statusCode, small.headers["content-type"]]).toEqual([200, "image/webp"]);
});
