import { domain } from "#kernel/domain.ts";
import { countWaiting } from "./waiting-count.ts";
import { mailLinks } from "./mail-link.ts";
import {
  findInGuides,
  listApps,
  logOut,
  readGuide,
  showGuide,
  showGuides,
  showHome,
} from "./operations.ts";

/** Responds at the installation's address next to the console: its description, guides, and links in e-mails. */
export const home = domain({
  name: "home",
  summary: "The start page, the guides and links in e-mails.",
  environmentScoped: false,
  permissions: [],
  events: [],
  operations: [
    showHome,
    listApps,
    countWaiting,
    logOut,
    showGuides,
    showGuide,
    readGuide,
    findInGuides,
    ...mailLinks,
  ],
});
