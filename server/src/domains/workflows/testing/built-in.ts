import {
  condition,
  fail,
  loop,
  respond,
  set,
  switchNode,
  transform,
} from "../definition/flow-nodes.ts";
import type { NodeType } from "../definition/node-type.ts";
import {
  artifact,
  connector,
  http,
  notify,
  publishEvent,
  records,
  script,
  ticket,
} from "../definition/effect-nodes.ts";
import { approval, delay, subworkflow, waitForEvent } from "../definition/waiting-nodes.ts";

/** All node types that are declared here, whether or not an installation can execute them. */
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
