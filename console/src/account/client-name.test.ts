import { expect, test } from "vitest";
import { nameClient } from "./client-name.ts";

test("a session's client is named by browser and system, and unknown clients are not renamed", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";
  expect(nameClient(chrome)).toBe("Chrome on Linux");
  expect(nameClient(`${chrome} Edg/140.0`)).toBe("Edge on Linux");
  expect(nameClient("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1")).toBe(
    "Safari on iOS",
  );
  expect(nameClient("curl/8.5.0")).toBe("curl");
  expect(nameClient("backup-robot/2 (nightly)")).toBe("backup-robot");
  expect(nameClient("")).toBe("Unknown client");
});
