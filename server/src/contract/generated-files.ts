import type { Domain } from "#kernel/contract.ts";
import { describeApi } from "#kernel/operation/description/describe-api.ts";
import { describeEventContract } from "#kernel/operation/description/describe-events.ts";
import { describeEnums } from "../../../client/src/describe-enums.ts";
import { describeFields, describeMachines } from "../../../client/src/describe-fields.ts";
import { describeClient } from "../../../client/src/describe.ts";
import { listMachines } from "../state-machines.ts";
import { renderJson } from "./json-text.ts";
import { renderOperationList } from "./operation-list.ts";

/** The types of the tables, generated from the migrations. */
export const TABLE_TYPES = "server/src/tables.ts";

/** The contents of the committed generated files by path. */
export function renderGeneratedFiles(domains: readonly Domain[]): ReadonlyMap<string, string> {
  const api = describeApi(domains);
  return new Map([
    ["contract/openapi.json", renderJson(api)],
    ["contract/events.json", renderJson(describeEventContract(domains))],
    ["contract/operations.txt", renderOperationList(domains)],
    ["client/src/operations.ts", describeClient(api)],
    ["client/src/enums.ts", describeEnums(api)],
    ["client/src/fields.ts", describeFields(api)],
    ["client/src/machines.ts", describeMachines(api, listMachines(domains))],
  ]);
}
