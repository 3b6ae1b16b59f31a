import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AppId } from "../definition/app.ts";
import { get } from "../definition/store.ts";
import { AppsWrite } from "../permissions.ts";
import { AppError, listErrors } from "./app-error.ts";

export const readErrors = query({
  id: "apps.errors",
  route: "GET /api/v1/apps/{id}/errors",
  summary: "List errors of an app in the last hour",
  description:
    "Returns components that could not be shown and actions that failed, in this environment; at most 100, newest first. Only for builders, because messages can contain data of other users.",
  permission: AppsWrite,
  params: object({ id: AppId }),
  response: item(Type.Object({ errors: Type.Array(AppError) }, { title: "AppErrors" })),
  example: { params: { id: "app_01jd0000000000000000000000" } },
  async run({ tx, now }, { params }) {
    await get(tx, params.id);
    return { errors: await listErrors(tx, params.id, now) };
  },
});
