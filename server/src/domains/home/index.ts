import { domain } from "#kernel/domain.ts";
import { mailLinks } from "./mail-link.ts";
import { logOut, showGuide, showGuides, showHome } from "./operations.ts";

/** The pages that a browser finds at the address of the installation, until a console takes their place. */
export const home = domain({
  name: "home",
  summary: "The pages at the root: log in, the apps one may open, and the guides.",
  environmentScoped: false,
  permissions: [],
  events: [],
  operations: [showHome, logOut, showGuides, showGuide, ...mailLinks],
});
