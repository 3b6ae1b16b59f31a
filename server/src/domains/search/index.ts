import { domain } from "#kernel/domain.ts";
import { searchEverything, SearchUse } from "./operations.ts";

export const search = domain({
  name: "search",
  summary: "One search over what all areas of the product have.",
  permissions: [SearchUse],
  events: [],
  operations: [searchEverything],
});
