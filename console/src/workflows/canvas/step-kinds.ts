import {
  ArrowLeftRight,
  Bell,
  Bot,
  Boxes,
  Braces,
  ChartColumn,
  CircleX,
  ClipboardList,
  Clock,
  Code,
  CornerDownRight,
  Database,
  DatabaseZap,
  Flag,
  GitBranch,
  Globe,
  Hourglass,
  Inbox,
  type LucideIcon,
  MessageSquare,
  MousePointerClick,
  PhoneIncoming,
  Plug,
  Radio,
  RefreshCw,
  Repeat,
  Rss,
  Sparkles,
  Split,
  UserCheck,
  Webhook,
  Workflow,
} from "lucide-react";

export type StepTone = "logic" | "data" | "out" | "code" | "desk" | "time";

/** The icon and colour of a step type. The server provides its name and its initial values. */
export interface StepKind {
  readonly icon: LucideIcon;
  readonly tone: StepTone;
  readonly title: string;
}

const KINDS: Readonly<Record<string, StepKind>> = {
  set: { icon: Braces, tone: "logic", title: "Set values" },
  transform: { icon: ArrowLeftRight, tone: "logic", title: "Compute" },
  condition: { icon: Split, tone: "logic", title: "If" },
  switch: { icon: GitBranch, tone: "logic", title: "Switch" },
  loop: { icon: Repeat, tone: "logic", title: "Loop over items" },
  repeat: { icon: RefreshCw, tone: "logic", title: "Repeat" },
  race: { icon: Flag, tone: "logic", title: "Race" },
  respond: { icon: CornerDownRight, tone: "logic", title: "Respond to webhook" },
  fail: { icon: CircleX, tone: "logic", title: "Stop with an error" },
  records: { icon: Database, tone: "data", title: "Records" },
  query: { icon: DatabaseZap, tone: "data", title: "Run a saved query" },
  report: { icon: ChartColumn, tone: "data", title: "Run a report" },
  http: { icon: Globe, tone: "out", title: "HTTP request" },
  connector: { icon: Plug, tone: "out", title: "Connector" },
  publish_event: { icon: Radio, tone: "out", title: "Publish an event" },
  subworkflow: { icon: Workflow, tone: "out", title: "Run a workflow" },
  script: { icon: Code, tone: "code", title: "Script" },
  artifact: { icon: Boxes, tone: "code", title: "Artifact" },
  ticket: { icon: Inbox, tone: "desk", title: "Ticket" },
  notify: { icon: Bell, tone: "desk", title: "Notify" },
  llm: { icon: Sparkles, tone: "code", title: "Ask a model" },
  agent: { icon: Bot, tone: "code", title: "Agent" },
  approval: { icon: UserCheck, tone: "desk", title: "Request approval" },
  wait_for_form: { icon: ClipboardList, tone: "desk", title: "Form" },
  delay: { icon: Clock, tone: "time", title: "Wait" },
  wait_for_call: { icon: PhoneIncoming, tone: "time", title: "Wait for a request" },
  wait_for_event: { icon: Hourglass, tone: "time", title: "Wait for an event" },
};

export function kindOf(type: string): StepKind {
  return KINDS[type] ?? { icon: Boxes, tone: "logic", title: type };
}

export const TRIGGER_ICONS: Readonly<Record<string, LucideIcon>> = {
  manual: MousePointerClick,
  event_bus: Radio,
  schedule: Clock,
  webhook: Webhook,
  form: ClipboardList,
  chat: MessageSquare,
  connector: Plug,
  rss: Rss,
};
