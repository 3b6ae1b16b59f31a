import { event } from "#kernel/log/event.ts";
import { Pack, UninstalledPack, UpgradedPack } from "./pack.ts";

const resource = "pack";

export const PackInstalled = event("pack.installed", {
  resource,
  summary: "A pack was installed. What it made is told by events of its own.",
  data: Pack,
});

export const PackUpgraded = event("pack.upgraded", {
  resource,
  summary: "Another version of a pack was installed; `kept` names what people had changed.",
  data: UpgradedPack,
});

export const PackUninstalled = event("pack.uninstalled", {
  resource,
  summary: "A pack was uninstalled; `kept` names what stays, since somebody changed or uses it.",
  data: UninstalledPack,
});
