import { event } from "#kernel/log/event.ts";
import { Pack, UninstalledPack, UpgradedPack } from "./pack.ts";

const resource = "pack";

export const PackInstalled = event("pack.installed", {
  resource,
  summary: "A pack was installed. Its resources have their own events.",
  data: Pack,
});

export const PackUpgraded = event("pack.upgraded", {
  resource,
  summary: "A pack was upgraded. `kept` contains resources that users had changed.",
  data: UpgradedPack,
});

export const PackUninstalled = event("pack.uninstalled", {
  resource,
  summary:
    "A pack was uninstalled. `kept` contains resources that were kept because they were changed or are in use.",
  data: UninstalledPack,
});
