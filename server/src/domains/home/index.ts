import { domain } from "#kernel/domain.ts";
import { logOut, showGuide, showGuides, showHome } from "./operations.ts";

/** What a browser finds at the address of the installation, until a console takes its place. */
export const home = domain({
  name: "home",
  summary: "The pages at the root: log in, the apps one may open, and the guides.",
  environmentScoped: false,
  permissions: [],
  events: [],
  operations: [showHome, logOut, showGuides, showGuide],
});
