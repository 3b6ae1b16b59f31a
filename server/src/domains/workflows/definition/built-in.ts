import { condition, fail, loop, respond, set, switchNode, transform } from "./flow-nodes.ts";
import type { NodeType } from "./node-type.ts";
import {
  artifact,
  connector,
  http,
  notify,
  publishEvent,
  records,
  script,
  ticket,
} from "./outside-nodes.ts";
import { approval, delay, subworkflow, waitForEvent } from "./waiting-nodes.ts";

/** The node types that every installation has. */
export const builtInNodeTypes: readonly NodeType[] = [
  condition,
  switchNode,
  transform,
  set,
  loop,
  respond,
  fail,
  delay,
  waitForEvent,
  approval,
  subworkflow,
  http,
  script,
  artifact,
  connector,
  publishEvent,
  records,
  ticket,
  notify,
];
