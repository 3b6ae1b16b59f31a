/** The triggers of n8n. */
import { HOOK_METHODS, type HookAuth } from "../definition/index.ts";
import { checkSchedule } from "../definition/schedule.ts";
import {
  type ConvertedTrigger,
  NotConvertible,
  type TriggerContext,
  type TriggerTable,
} from "./conversion.ts";
import {
  type Json,
  type JsonObject,
  type N8nNode,
  toList,
  toObject,
  toText,
} from "./n8n-workflow.ts";
import { toFormFields } from "./nodes/form-node.ts";

/** True for a node that starts workflows. */
export function isTrigger({ type }: N8nNode): boolean {
  return (
    /Trigger$/i.test(type) ||
    ["webhook", "cron", "interval", "start", "emailReadImap"].includes(type)
  );
}

const byHand = (): ConvertedTrigger => ({ trigger: { type: "manual" }, approximations: [] });

/** The triggers that need no service. */
export const basicTriggers: TriggerTable = {
  manualTrigger: byHand,
  start: byHand,
  executeWorkflowTrigger: byHand,
  errorTrigger: () => ({
    trigger: { type: "manual" },
    approximations: [
      "select this workflow as error workflow in the other workflows. The error has different fields",
    ],
  }),
  evaluationTrigger: () => ({
    trigger: { type: "manual" },
    approximations: ["evaluations are not imported: enter the rows of an evaluation manually"],
  }),
  scheduleTrigger: (ctx) => orAsk(ctx, () => schedule(ctx.node.parameters)),
  cron: (ctx) => orAsk(ctx, () => oldCron(ctx.node.parameters)),
  interval: ({ node: { parameters } }) => {
    const unit = toText(parameters["unit"], "seconds");
    return cronTrigger(everyCron(Number(parameters["interval"] ?? 1), unit));
  },
  webhook,
  formTrigger: form,
  "lc.chatTrigger": chat,
  "lc.manualChatTrigger": chat,
};

function webhook({ node, bind }: TriggerContext): ConvertedTrigger {
  const { parameters, version } = node;
  const {
    authentication = "none",
    httpMethod = "GET",
    responseMode = "onReceived",
    path,
    options,
  } = parameters;
  const methods = (Array.isArray(httpMethod) ? httpMethod : [httpMethod]).map((one) =>
    toText(one, "GET").toUpperCase(),
  );
  const { binaryPropertyName, rawBody, binaryData } = toObject(options);
  if (
    binaryData === true ||
    (version < 2 && binaryPropertyName !== undefined && binaryData === true)
  ) {
    throw new NotConvertible("needs files");
  }
  const known = HOOK_METHODS.filter((one) => methods.includes(one));
  const words = toText(path)
    .split("/")
    .filter((word) => word !== "")
    .map((word) =>
      word.startsWith(":")
        ? `{${word
            .slice(1)
            .replaceAll(/\W/g, "_")
            .replace(/^(?=\d)/, "_")}}`
        : word,
    );
  const hasParams = words.some((word) => word.startsWith("{"));
  if (
    hasParams &&
    (words.length > 3 || words.some((word) => !/^([A-Za-z0-9._~-]+|\{\w+\})$/.test(word)))
  ) {
    throw new NotConvertible("has a path that is not supported");
  }
  const auth = toAuth(toText(authentication), bind);
  return {
    trigger: {
      type: "webhook",
      ...(known.length > 0 && (known.length > 1 || known[0] !== "POST") && { methods: known }),
      ...(hasParams && { path: words.join("/") }),
      ...(responseMode === "lastNode" && { respond: "last_step" as const }),
      ...(rawBody === true && { rawBody: true }),
      ...(auth && { auth }),
    },
    approximations: [
      ...(known.length === 0 ? [`takes POST, and not ${methods.join(", ")}`] : []),
      ...(responseMode === "lastNode" ? ["responds with the outputs of all last steps"] : []),
    ],
  };
}

/** The authentication of a webhook. The user selects the secret. */
function toAuth(kind: string, bind: TriggerContext["bind"]): HookAuth | undefined {
  const secret = (key: string, title: string) => `{{secrets.${bind("secret", key, title)}}}`;
  if (kind === "basicAuth") {
    return { kind: "basic", secret: secret("webhook", "Webhook: user:password") };
  }
  if (kind === "headerAuth") {
    const header = "x-api-key";
    return { kind: "header", header, secret: secret("webhook", "Webhook: value of the header") };
  }
  if (kind === "jwtAuth")
    return { kind: "jwt", secret: secret("webhook", "Webhook: key of tokens") };
  if (kind !== "none" && kind !== "") {
    throw new NotConvertible(`uses the unsupported webhook authentication ${kind}`);
  }
  return undefined;
}

/** A form. Elements other than questions become part of the description. */
function form({ node: { parameters } }: TriggerContext): ConvertedTrigger {
  const { formTitle, formDescription, formFields, responseMode, options } = parameters;
  if ((parameters["authentication"] ?? "none") !== "none") {
    throw new NotConvertible("has a form with authentication");
  }
  const all = toList(toObject(formFields)["values"]).map(toObject);
  const hasFiles = all.some(({ fieldType }) => fieldType === "file");
  const { fields, isShortened } = toFormFields(all);
  const { respondWithOptions, formSubmittedText, buttonLabel } = toObject(options);
  const sent = toObject(toObject(respondWithOptions)["values"]);
  const thanks = toText(sent["formSubmittedText"], toText(formSubmittedText)).slice(0, 2_000);
  const title = toText(formTitle).slice(0, 200).trim();
  const description = toText(formDescription).slice(0, 2_000).trim();
  const isByExpression = [title, description, thanks].some((one) => one.startsWith("="));
  return {
    trigger: {
      type: "form",
      title: title === "" ? "Form" : title,
      ...(description !== "" && { description }),
      pages: [{ fields: fields.length === 0 ? [{ name: "message", label: "Message" }] : fields }],
      ...(responseMode === "lastNode" && { respond: "last_step" as const }),
      ...(thanks !== "" && { thanks }),
      ...(toText(buttonLabel) !== "" && { submit: toText(buttonLabel).slice(0, 50) }),
    },
    approximations: [
      ...(isByExpression ? ["shows texts without evaluating their expressions"] : []),
      ...(isShortened ? ["does not show HTML between the questions"] : []),
      ...(fields.length === 0 ? ["has no question"] : []),
      ...(hasFiles ? ["uploaded files are handles in the fields of the item"] : []),
    ],
  };
}

/** A chat. Its items have the field names of n8n. */
function chat({ node: { parameters } }: TriggerContext): ConvertedTrigger {
  const { initialMessages, options } = parameters;
  const { title, allowFileUploads } = toObject(options);
  const chatTitle = toText(title, "Chat").slice(0, 200).trim();
  const greeting = toText(initialMessages).slice(0, 2_000).trim();
  return {
    trigger: {
      type: "chat",
      title: chatTitle === "" ? "Chat" : chatTitle,
      ...(greeting !== "" && { greeting }),
    },
    approximations: allowFileUploads === true ? ["does not accept files"] : [],
  };
}

function schedule(parameters: JsonObject): ConvertedTrigger {
  const intervals = toList(toObject(parameters["rule"])["interval"]).map(toObject);
  const [only = {}] = intervals;
  if (intervals.length > 1) return severalHours(intervals);
  const { field = "days", expression } = only;
  const at = (name: string, otherwise: number): number => readNumber(only[name], otherwise);
  const hour = at("triggerAtHour", 0);
  const minute = at("triggerAtMinute", 0);
  switch (field) {
    case "cronExpression":
      return cronTrigger(toText(expression));
    case "seconds":
      return cronTrigger(everyCron(at("secondsInterval", 30), "seconds"));
    case "minutes":
      return cronTrigger(everyCron(at("minutesInterval", 5), "minutes"));
    case "hours":
      return cronTrigger(`${minute} */${at("hoursInterval", 1)} * * *`);
    case "days": {
      const days = at("daysInterval", 1);
      const note =
        days > 1 ? ["intervals of several days start on the first day of the month"] : [];
      return cronTrigger(`${minute} ${hour} ${days > 1 ? `*/${days}` : "*"} * *`, note);
    }
    case "weeks": {
      if (at("weeksInterval", 1) > 1) throw new NotConvertible("runs every few weeks");
      const days = toList(only["triggerAtDay"]).map((day) => readNumber(day, 0));
      return cronTrigger(`${minute} ${hour} * * ${days.length === 0 ? 0 : days.join(",")}`);
    }
    case "months":
      return cronTrigger(
        `${minute} ${hour} ${at("triggerAtDayOfMonth", 1)} ${at("monthsInterval", 1) > 1 ? `*/${at("monthsInterval", 1)}` : "*"} *`,
      );
    default:
      throw new NotConvertible("has a schedule type that is not supported");
  }
}

/** Asks for a schedule if it is an n8n expression or needs several cron lines. */
function orAsk({ node, bind }: TriggerContext, read: () => ConvertedTrigger): ConvertedTrigger {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
    const cron = bind(
      "text",
      `schedule ${node.name}`,
      `${node.name}: the schedule as a cron expression`,
    );
    if (cron === "") throw error;
    return cronTrigger(cron, ["the schedule was chosen in the import"]);
  }
}

/** Merges several times with the same minute, if daily or on the same weekdays. */
function severalHours(intervals: readonly JsonObject[]): ConvertedTrigger {
  const shapes = intervals.map(({ triggerAtHour = 0, ...rest }) => ({
    hour: readNumber(triggerAtHour, 0),
    rest: JSON.stringify(rest),
  }));
  const [first] = shapes;
  const { field = "days", daysInterval = 1, weeksInterval = 1 } = intervals[0] ?? {};
  const isPlain =
    (field === "days" && daysInterval === 1) || (field === "weeks" && weeksInterval === 1);
  if (!first || !isPlain || shapes.some(({ rest }) => rest !== first.rest))
    throw new NotConvertible("has several schedules");
  const { triggerAtMinute, triggerAtDay } = intervals[0] ?? {};
  const hours = [...new Set(shapes.map(({ hour }) => hour))].toSorted((a, b) => a - b);
  const days = field === "weeks" ? toList(triggerAtDay).map((day) => readNumber(day, 0)) : [];
  const onDays = field === "weeks" ? (days.length === 0 ? "0" : days.join(",")) : "*";
  return cronTrigger(`${readNumber(triggerAtMinute, 0)} ${hours.join(",")} * * ${onDays}`);
}

function cronTrigger(cron: string, approximations: readonly string[] = []): ConvertedTrigger {
  if (cron.startsWith("=") || cron.trim() === "")
    throw new NotConvertible("uses an expression for the schedule");
  if (checkSchedule({ cron }).length > 0)
    throw new NotConvertible("has a schedule type that is not supported");
  return { trigger: { type: "schedule", cron }, approximations };
}

function oldCron(parameters: JsonObject): ConvertedTrigger {
  const [only = {}, second] = toList(toObject(parameters["triggerTimes"])["item"]).map(toObject);
  if (second) throw new NotConvertible("has several schedules");
  const { mode = "everyDay", cronExpression } = only;
  const [hour, minute] = [readNumber(only["hour"], 14), readNumber(only["minute"], 0)];
  switch (mode) {
    case "everyMinute":
      return cronTrigger("* * * * *");
    case "everyHour":
      return cronTrigger(`${minute} * * * *`);
    case "everyDay":
      return cronTrigger(`${minute} ${hour} * * *`);
    case "everyWeek":
      return cronTrigger(`${minute} ${hour} * * ${readNumber(only["weekday"], 1)}`);
    case "everyMonth":
      return cronTrigger(`${minute} ${hour} ${readNumber(only["dayOfMonth"], 1)} * *`);
    case "everyX":
      return cronTrigger(everyCron(readNumber(only["value"], 2), toText(only["unit"], "hours")));
    default:
      return cronTrigger(toText(cronExpression));
  }
}

function everyCron(every: number, unit: string): string {
  if (unit === "seconds")
    return every >= 60
      ? `*/${Math.max(1, Math.round(every / 60))} * * * *`
      : `*/${every} * * * * *`;
  if (unit === "minutes")
    return every >= 60 ? `0 */${Math.max(1, Math.round(every / 60))} * * *` : `*/${every} * * * *`;
  return `0 */${Math.min(every, 23)} * * *`;
}

function readNumber(value: Json, otherwise: number): number {
  if (value === undefined || value === "") return otherwise;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new NotConvertible("uses an expression for the schedule");
  return number;
}
