import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";
import { TestCaseId } from "./test-case.ts";

const resource = "artifact_test_case";
/** Without inputs and expectations, which can be long. */
const data = Type.Object({ id: TestCaseId, artifactId: id("art"), name: Type.String() });

export const TestCaseCreated = event("artifact_test_case.created", {
  resource,
  summary: "A test case was added to an artifact.",
  data,
});
export const TestCaseUpdated = changeEvent("artifact_test_case.updated", {
  resource,
  summary: "A test case of an artifact was updated.",
  data,
});
export const TestCaseDeleted = event("artifact_test_case.deleted", {
  resource,
  summary: "A test case of an artifact was deleted.",
  data,
});
export const ArtifactTested = event("artifact.tested", {
  resource: "artifact",
  summary: "All test cases of an artifact were run.",
  data: Type.Object({
    id: id("art"),
    versionNumber: Type.Integer(),
    passed: Type.Integer(),
    failed: Type.Integer(),
  }),
});
