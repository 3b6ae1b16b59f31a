import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, vi } from "vitest";

/** Resolves only these names for all tests of a file, so that tests do not depend on the machine's resolver. */
export function useNames(names: Readonly<Record<string, readonly string[]>>): void {
  vi.spyOn(dns, "lookup").mockImplementation((async (hostname: string) =>
    (names[hostname] ?? []).map((address) => ({ address }))) as never);
  syncBuiltinESMExports();
  afterAll(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}
