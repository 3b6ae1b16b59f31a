/** The triggers of n8n. */
import type { Trigger } from "../definition/index.ts";
import { NotConvertible } from "./conversion.ts";
import {
  type Json,
  type JsonObject,
  type N8nNode,
  toList,
  toObject,
  toText,
} from "./n8n-workflow.ts";

export interface ConvertedTrigger {
  readonly trigger: Trigger;
  readonly approximations: readonly string[];
}

/** True for a node that starts workflows. */
export function isTrigger({ type }: N8nNode): boolean {
  return (
    /Trigger$/i.test(type) ||
    ["webhook", "cron", "interval", "start", "emailReadImap"].includes(type)
  );
}

/** The trigger here for one there. */
export function convertTrigger({ type, parameters, version }: N8nNode): ConvertedTrigger {
  switch (type) {
    case "manualTrigger":
    case "start":
    case "executeWorkflowTrigger":
      return { trigger: { type: "manual" }, approximations: [] };
    case "errorTrigger":
      return {
        trigger: { type: "manual" },
        approximations: ["name it as the error workflow of others; the error has other fields"],
      };
    case "scheduleTrigger":
      return schedule(parameters);
    case "cron":
      return oldCron(parameters);
    case "interval":
      return {
        trigger: {
          type: "schedule",
          cron: everyCron(
            Number(parameters["interval"] ?? 1),
            toText(parameters["unit"], "seconds"),
          ),
        },
        approximations: [],
      };
    case "webhook":
      return webhook(parameters, version);
    default:
      throw new NotConvertible(`starts by ${type.replace(/Trigger$/, "")}`);
  }
}

function webhook(parameters: JsonObject, version: number): ConvertedTrigger {
  const {
    authentication = "none",
    httpMethod = "GET",
    responseMode = "onReceived",
    path,
    options,
  } = parameters;
  if (authentication !== "none")
    throw new NotConvertible(`has the authentication ${toText(authentication)} at its webhook`);
  if (Array.isArray(httpMethod) || parameters["multipleMethods"] === true)
    throw new NotConvertible("takes several methods");
  if (toText(path).includes(":")) throw new NotConvertible("has parameters in its path");
  const { binaryPropertyName, rawBody, binaryData } = toObject(options);
  if (
    rawBody === true ||
    binaryData === true ||
    (version < 2 && binaryPropertyName !== undefined && binaryData === true)
  ) {
    throw new NotConvertible("needs files");
  }
  return {
    trigger: { type: "webhook" },
    approximations: [
      ...(httpMethod === "POST" ? [] : [`takes POST, and not ${toText(httpMethod)}`]),
      ...(responseMode === "lastNode"
        ? ["answers with the run, and not with the last node's items"]
        : []),
    ],
  };
}

function schedule(parameters: JsonObject): ConvertedTrigger {
  const intervals = toList(toObject(parameters["rule"])["interval"]).map(toObject);
  const [only = {}] = intervals;
  if (intervals.length > 1) throw new NotConvertible("has several schedules");
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
      const note = days > 1 ? ["every so many days is counted from the first of the month"] : [];
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
      throw new NotConvertible("has a schedule of another kind");
  }
}

function cronTrigger(cron: string, approximations: readonly string[] = []): ConvertedTrigger {
  if (cron.startsWith("=") || cron.trim() === "")
    throw new NotConvertible("has a schedule by expression");
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
  if (!Number.isFinite(number)) throw new NotConvertible("has a schedule by expression");
  return number;
}
