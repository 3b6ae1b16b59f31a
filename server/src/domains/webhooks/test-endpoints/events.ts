import { changeEvent, event } from "#kernel/log/event.ts";
import { TestEndpointData } from "./test-endpoint.ts";

const resource = "test_endpoint";

export const TestEndpointCreated = event("test_endpoint.created", {
  resource,
  summary: "An address for tests was made. What arrives there is in no log.",
  data: TestEndpointData,
});

export const TestEndpointUpdated = changeEvent("test_endpoint.updated", {
  resource,
  summary: "A test endpoint answers differently, or has another name.",
  data: TestEndpointData,
});

export const TestEndpointDeleted = event("test_endpoint.deleted", {
  resource,
  summary: "A test endpoint was deleted, and what arrived there.",
  data: TestEndpointData,
});
