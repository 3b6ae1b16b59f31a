import type { Page } from "../definition/app.ts";
import type { View } from "./browser/tree.ts";
import type { Scope } from "./evaluate-binding.ts";
import type { Loaded } from "./load-sources.ts";
import type { Visit } from "./app-session.ts";

/** What the browser says: what the page was opened with, and what somebody entered and looks at. */
export interface Occasion {
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly views: Readonly<Record<string, View>>;
}

/** What resolving a page needs. */
export interface Resolving {
  readonly visit: Visit;
  readonly page: Page;
  readonly occasion: Occasion;
  readonly scope: Scope;
  readonly loaded: ReadonlyMap<string, Loaded>;
}
