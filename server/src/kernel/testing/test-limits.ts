/**
 * Runs before each test file and sets test timeouts by kind, so that a hanging test costs at most a minute. The
 * timeouts are several times the duration on a busy machine; longer tests set their own. Waits inside tests (`until`,
 * pages, processes) have shorter timeouts, which name the missing condition.
 */
import { expect, vi } from "vitest";
import { tries } from "./thorough.ts";

const UNIT_MS = 20_000;
const HTTP_MS = 45_000;
const LONG_MS = 60_000;
/** Tests of whole processes and of pages in a browser. */
const LONG =
  /\/server\/src\/(journeys|process|cli|portability|offline|code-cli|artifact-cli|sweep)|browser\.test/;

const path = expect.getState().testPath ?? "";
const kindMs = LONG.test(path) ? LONG_MS : path.includes("/console/src/") ? UNIT_MS : HTTP_MS;
const testTimeout = kindMs * tries(1);

vi.setConfig({ testTimeout, hookTimeout: LONG_MS * tries(1) });
