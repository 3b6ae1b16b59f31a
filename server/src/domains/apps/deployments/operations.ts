import Type from "typebox";
import { DeployCompleted, DeployFailed } from "#domains/workflows/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AppId, AppIsArchived } from "../definition/app.ts";
import { get as getApp } from "../definition/store.ts";
import { AppsDeploy, AppsRead } from "../permissions.ts";
import {
  AppChanged,
  Deployment,
  DeploymentId,
  DeployRefused,
  FullDeployment,
  Notes,
  NoPreviousDeployment,
} from "./deployment.ts";
import { DeployRolledBack } from "./events.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: AppId });
const example = { params: { id: "app_01jd0000000000000000000000" } };
/** Numbers are smaller. */
const NEWEST = 2 ** 31 - 1;

export const deployApp = command({
  id: "apps.deploy",
  effect: "live",
  route: "POST /api/v1/apps/{id}/deploy",
  summary: "Deploy an app, as it is now, to the environment of the request",
  description:
    "Everything that it refers to must be there: tables, saved queries, connectors, artifacts, and workflows " +
    "that are deployed there too. What is missing refuses it, and `deploy.failed` has the reasons. It is " +
    "served at /apps/{workspace}/{slug}.",
  permission: AppsDeploy,
  params: ById,
  body: object({ notes: Type.Optional(Notes) }),
  bodyOptional: true,
  response: created(Deployment, {
    location: ({ appId, id }) => `/api/v1/apps/${appId}/deployments/${id}`,
  }),
  emits: [DeployCompleted, DeployFailed],
  fails: [DeployRefused, AppIsArchived, AppChanged],
  example: { ...example, body: { notes: "The packing list." } },
  prepare: (platform, { params }, caller) => service.prepareDeployment(platform, caller, params.id),
  run: (ctx, { body: { notes = "" } }, prepared) => service.deploy(ctx, prepared, notes),
});

export const rollBackApp = command({
  id: "apps.rollback",
  effect: "drastic",
  route: "POST /api/v1/apps/{id}/rollback",
  summary: "Serve an earlier deployment again",
  description:
    "The one that `deploymentId` names or, without it, the one that was live before. The app itself stays " +
    "as it is. Naming the one that is live already changes nothing, and is no event.",
  permission: AppsDeploy,
  params: ById,
  body: object({ deploymentId: Type.Optional(DeploymentId) }),
  bodyOptional: true,
  allowNoop: true,
  response: item(Deployment),
  emits: [DeployRolledBack, DeployCompleted, DeployFailed],
  fails: [DeployRefused, AppIsArchived, AppChanged, NoPreviousDeployment],
  example: { ...example, body: { deploymentId: "dep_01jd0000000000000000000000" } },
  prepare: (platform, { params, body }, caller) =>
    service.prepareRollback(platform, caller, params.id, body.deploymentId),
  run: (ctx, _input, prepared) => service.rollBack(ctx, prepared),
});

export const listDeployments = query({
  id: "apps.list_deployments",
  route: "GET /api/v1/apps/{id}/deployments",
  summary: "List the deployments of an app to this environment, newest first",
  permission: AppsRead,
  params: ById,
  query: object(pageQuery),
  response: page(Deployment),
  example,
  async run({ tx, services: { cursors } }, { params, query: { limit, after } }) {
    await getApp(tx, params.id);
    const name = `deployments of ${params.id}`;
    const [before = NEWEST] = after === undefined ? [] : cursors.decode(name, after);
    const rows = await store.list(tx, params.id, { before: Number(before), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ number }) => cursors.encode(name, [number]),
    );
  },
});

export const getDeployment = query({
  id: "apps.get_deployment",
  route: "GET /api/v1/apps/{id}/deployments/{deploymentId}",
  summary: "Read a deployment, with what was deployed",
  permission: AppsRead,
  params: object({ id: AppId, deploymentId: DeploymentId }),
  response: item(FullDeployment),
  example: { params: { ...example.params, deploymentId: "dep_01jd0000000000000000000000" } },
  run: ({ tx }, { params }) => store.get(tx, params.id, params.deploymentId),
});
