import { domain } from "#kernel/domain.ts";
import { explainAccess, listOperations } from "./operations.ts";

export const access = domain({
  name: "access",
  summary: "Permission checks with explanations.",
  tag: "roles",
  environmentScoped: false,
  permissions: [],
  events: [],
  operations: [listOperations, explainAccess],
});
