/**
 * Runs before each test file: how long a test may take, by its kind, so that one that hangs costs a minute at most. The
 * limits are several times what a busy machine needs; a test that needs more says so itself. What tests wait for
 * (`until`, pages, processes) has shorter limits, which name what did not happen.
 */
import { expect, vi } from "vitest";
import { tries } from "./thorough.ts";

const UNIT_MS = 20_000;
const HTTP_MS = 45_000;
const LONG_MS = 60_000;
/** Whole processes, and pages in a browser. */
const LONG =
  /\/server\/src\/(journeys|process|cli|portability|offline|code-cli|artifact-cli|sweep)|browser\.test/;

const path = expect.getState().testPath ?? "";
const kindMs = LONG.test(path) ? LONG_MS : path.includes("/console/src/") ? UNIT_MS : HTTP_MS;
const testTimeout = kindMs * tries(1);

vi.setConfig({ testTimeout, hookTimeout: LONG_MS * tries(1) });
