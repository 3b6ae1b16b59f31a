import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, vi } from "vitest";

/** Resolves these names, and no others, for all tests of a file: none may depend on the machine's own resolver. */
export function useNames(names: Readonly<Record<string, readonly string[]>>): void {
  vi.spyOn(dns, "lookup").mockImplementation((async (hostname: string) =>
    (names[hostname] ?? []).map((address) => ({ address }))) as never);
  syncBuiltinESMExports();
  afterAll(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}
