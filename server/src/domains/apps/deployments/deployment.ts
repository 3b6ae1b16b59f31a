import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, text, Time } from "#kernel/schema/schema.ts";
import { AppData, AppId } from "../definition/app.ts";

export const DeploymentId = id("dep");
export const Notes = text(2_000, "Release notes");

/** The deployed state of an app: everything required to open it. */
export const Snapshot = Type.Pick(AppData, ["name", "theme", "pages", "dataSources"], {
  title: "AppSnapshot",
});
export type Snapshot = Static<typeof Snapshot>;

const deploymentFields = {
  id: DeploymentId,
  appId: AppId,
  environment: Type.Enum(["production", "staging", "development"]),
  number: Type.Integer({ description: "Number of the deployment of the app in this environment" }),
  notes: Notes,
  live: Type.Boolean({ description: "Whether it is the active deployment" }),
  deployedBy: Type.String(),
  createdAt: Time,
};

export const Deployment = Type.Object(deploymentFields, { title: "AppDeployment" });
export type Deployment = Static<typeof Deployment>;

export const FullDeployment = Type.Object(
  { ...deploymentFields, snapshot: Snapshot },
  { title: "AppDeploymentWithSnapshot" },
);
export type FullDeployment = Static<typeof FullDeployment>;

export const DeployRefused = failure(
  "deploy_failed",
  422,
  "The app refers to resources that do not exist in this environment. `errors` contains the paths.",
);
export const NoPreviousDeployment = failure(
  "nothing_to_roll_back",
  409,
  "No earlier deployment was active in this environment.",
);
export const AppChanged = failure(
  "app_changed",
  409,
  "Another request changed the app or its deployment. Try again.",
);
