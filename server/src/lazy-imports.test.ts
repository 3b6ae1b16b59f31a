import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { builtServer } from "./process/testing/built-server.ts";

/** Libraries that only some installations use, so the others must not pay for them in memory. */
const LATE = [
  "@lat.md/embed",
  "@node-saml/node-saml",
  "@opentelemetry/core",
  "@opentelemetry/sdk-trace",
  "@scalar/fastify-api-reference",
  "@simplewebauthn/server",
  "bson",
  "file-type",
  "imapflow",
  "libpg-query",
  "markdown-it",
  "mysql2",
  "nodemailer",
  "openid-client",
  "otpauth",
  "postal-mime",
  "qrcode",
  "smtp-server",
  "yaml",
];

const PROBE = `
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({
    load(url, context, next) {
      urls.push(url);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
  process.stdout.write(JSON.stringify(urls));
`;

/** The first file of a run that needs the bundle builds it. */
const BUILD_MAX_MS = 180_000;
beforeAll(() => void builtServer(), BUILD_MAX_MS);

const STARTS = {
  sources: () => join(import.meta.dirname, "start.ts"),
  bundle: () => join(builtServer(), "start.mjs"),
};

test.each(["sources", "bundle"] as const)(
  "a start from the %s loads no library before it is needed",
  (from) => {
    const start = STARTS[from]();
    const out = execFileSync(process.execPath, ["--input-type=module", "-e", PROBE, start]);
    const urls = (JSON.parse(out.toString()) as string[]).flatMap(sourcesOf);
    expect(urls.some((url) => url.includes("/node_modules/fastify/"))).toBe(true);
    expect(
      LATE.filter((name) => urls.some((url) => url.includes(`/node_modules/${name}/`))),
    ).toEqual([]);
  },
);

/** A file, or the source files of a bundle file. */
function sourcesOf(url: string): readonly string[] {
  const isBundle = url.startsWith(pathToFileURL(builtServer()).href);
  const map = isBundle ? `${fileURLToPath(url)}.map` : "";
  return existsSync(map) ? JSON.parse(readFileSync(map, "utf8")).sources : [url];
}

test("the text of the bundle is Latin-1, which halves its memory", () => {
  const text = readFileSync(join(builtServer(), "app.mjs"), "utf8");
  const at = text.search(/[\u0100-\uffff]/);
  expect(at === -1 ? "" : text.slice(at - 40, at + 20)).toBe("");
});
