/** How each type of step looks, what it is called, and what a new one begins with. */
import {
  ArrowLeftRight,
  Bell,
  Boxes,
  Braces,
  CircleX,
  Clock,
  Code,
  CornerDownRight,
  Database,
  GitBranch,
  Globe,
  Hourglass,
  Inbox,
  type LucideIcon,
  MousePointerClick,
  Plug,
  Radio,
  Repeat,
  Split,
  UserCheck,
  Webhook,
  Workflow,
} from "lucide-react";

export type StepTone = "logic" | "data" | "out" | "code" | "desk" | "time";
export const STEP_GROUPS = [
  "Shape",
  "Flow",
  "Data",
  "Outside",
  "People",
  "Time",
  "Code",
  "Other",
] as const;
type StepGroup = (typeof STEP_GROUPS)[number];

export interface StepKind {
  readonly icon: LucideIcon;
  readonly tone: StepTone;
  readonly title: string;
  readonly group: StepGroup;
  readonly config: Readonly<Record<string, unknown>>;
}

const FIRST_BODY = {
  nodes: [{ id: "first", type: "set", name: "Set values", config: { values: {} } }],
  edges: [],
};

const KINDS: Readonly<Record<string, StepKind>> = {
  set: { icon: Braces, tone: "logic", title: "Set values", group: "Shape", config: { values: {} } },
  transform: {
    icon: ArrowLeftRight,
    tone: "logic",
    title: "Compute",
    group: "Shape",
    config: { expression: "trigger.input" },
  },
  condition: {
    icon: Split,
    tone: "logic",
    title: "If",
    group: "Flow",
    config: { expression: "true" },
  },
  switch: {
    icon: GitBranch,
    tone: "logic",
    title: "By case",
    group: "Flow",
    config: { expression: "trigger.input", cases: ["one"] },
  },
  loop: {
    icon: Repeat,
    tone: "logic",
    title: "For each",
    group: "Flow",
    config: { items: "{{ [1, 2, 3] }}", as: "item", body: FIRST_BODY },
  },
  respond: {
    icon: CornerDownRight,
    tone: "logic",
    title: "Respond",
    group: "Flow",
    config: { body: {} },
  },
  fail: {
    icon: CircleX,
    tone: "logic",
    title: "Stop with an error",
    group: "Flow",
    config: { message: "It can't go on." },
  },
  records: {
    icon: Database,
    tone: "data",
    title: "Records",
    group: "Data",
    config: { operation: "list" },
  },
  http: {
    icon: Globe,
    tone: "out",
    title: "HTTP request",
    group: "Outside",
    config: { url: "https://" },
  },
  connector: { icon: Plug, tone: "out", title: "Connector", group: "Outside", config: {} },
  publish_event: {
    icon: Radio,
    tone: "out",
    title: "Publish an event",
    group: "Outside",
    config: { topic: "", type: "" },
  },
  subworkflow: {
    icon: Workflow,
    tone: "out",
    title: "Run a workflow",
    group: "Outside",
    config: {},
  },
  script: {
    icon: Code,
    tone: "code",
    title: "Script",
    group: "Code",
    config: { source: "return input" },
  },
  artifact: { icon: Boxes, tone: "code", title: "Artifact", group: "Code", config: {} },
  ticket: {
    icon: Inbox,
    tone: "desk",
    title: "Ticket",
    group: "People",
    config: { operation: "create", kind: "incident", fields: {} },
  },
  notify: { icon: Bell, tone: "desk", title: "Notify", group: "People", config: {} },
  approval: {
    icon: UserCheck,
    tone: "desk",
    title: "Ask for approval",
    group: "People",
    config: { approvers: ["owner"], message: "" },
  },
  delay: {
    icon: Clock,
    tone: "time",
    title: "Wait a while",
    group: "Time",
    config: { ms: 60_000 },
  },
  wait_for_event: {
    icon: Hourglass,
    tone: "time",
    title: "Wait for an event",
    group: "Time",
    config: { topic: "" },
  },
};

export function kindOf(type: string): StepKind {
  return KINDS[type] ?? { icon: Boxes, tone: "logic", title: type, group: "Other", config: {} };
}

export const TRIGGER_ICONS: Readonly<Record<string, LucideIcon>> = {
  manual: MousePointerClick,
  event_bus: Radio,
  schedule: Clock,
  webhook: Webhook,
};
