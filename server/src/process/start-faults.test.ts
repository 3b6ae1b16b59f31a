import { existsSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataFolder, launch, useProducts } from "./testing/product.ts";

useProducts();

test("a failed start reports the reason in a single sentence and has no side effects", async () => {
  await using busy = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => busy.once("listening", resolve));
  const { port } = busy.address() as AddressInfo;
  const file = `${dataFolder()}.file`;
  writeFileSync(file, "");
  const cases: readonly (readonly [Record<string, string>, readonly string[]])[] = [
    [
      { PORT: String(port) },
      [`Port ${port} at 127.0.0.1 is already in use by another process. Set PORT to a free port.`],
    ],
    [
      { HOST: "203.0.113.9" },
      [
        "HOST: this computer does not have the address 203.0.113.9. Set HOST to one of its addresses.",
      ],
    ],
    [
      { PORT: "abc", MILLRACE_MASTER_KEY: "short", MILLRACE_PRT: "1" },
      [
        "The configuration is not valid:",
        "  PORT: a port number from 0 to 65535",
        "  MILLRACE_MASTER_KEY: 32 bytes in base64",
        "  MILLRACE_PRT is not a setting; did you mean PORT?",
      ],
    ],
    [
      { DATABASE_URL: "postgres://me:hidden@127.0.0.1:1/mill" },
      [
        "Can't open the database mill as me at 127.0.0.1:1: the connection was refused. Check DATABASE_URL.",
      ],
    ],
    [
      { MILLRACE_DATA_DIR: join(file, "data") },
      [
        `The data folder ${join(file, "data")} can't be used: part of the path is a file. ` +
          "Set MILLRACE_DATA_DIR to another folder.",
      ],
    ],
    [
      { MILLRACE_DATA_DIR: "/proc/nope" },
      [
        "The data folder /proc/nope can't be used: the folder can't be created. " +
          "Set MILLRACE_DATA_DIR to another folder.",
      ],
    ],
  ];
  for (const [env, told] of cases) {
    const product = launch(env);
    expect(await product.ended).toBe(1);
    expect(product.lines).toEqual(["Millrace did not start.", ...told]);
    expect(existsSync(dataFolder())).toBe(false);
  }
});
