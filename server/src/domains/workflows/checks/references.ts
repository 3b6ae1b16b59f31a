import { checkExpression } from "#kernel/expression/expression.ts";
import { dotsOf } from "#kernel/expression/parse.ts";
import { templateReferences } from "#kernel/expression/template.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import {
  type Config,
  isTemplate,
  type NodeTypes,
  splitConfig,
  subworkflow,
} from "../definition/index.ts";

/** A text in a definition with a possible external reference. */
interface Mention {
  readonly kind: "template" | "expression" | "workflow";
  readonly text: string;
  readonly path: string;
}

/** The mentions of a definition. */
export interface ReferenceMentions {
  readonly all: readonly Mention[];
  /** The path of the expression that exceeded the parsing limit. Later expressions are not parsed. */
  readonly excess: string | undefined;
}

/** Something outside of a definition that the definition needs. */
export interface Reference {
  readonly kind: "secret" | "variable" | "workflow";
  /** Can be `ANY_NAME` for secrets and variables. */
  readonly name: string;
  readonly path: string;
}

/**
 * Limits for all expressions of a definition together. Parsing takes about 0.1 ms per expression, and grows with the
 * square of the number of dots.
 */
const EXPRESSIONS_MAX = 2_000;
const CHARACTERS_MAX = 200_000;
const SQUARED_DOTS_MAX = 4_000_000;

/** Finds the mentions of a definition. Accepts any JSON, and skips values of the wrong type. */
export function findMentions(definition: unknown, types: NodeTypes): ReferenceMentions {
  const finder = new MentionFinder(types);
  if (!isRecord(definition)) return finder;
  const { trigger, triggers, concurrencyKey, errorWorkflowId, nodes } = definition;
  finder.inTemplate(trigger, "/trigger");
  finder.inTemplate(triggers, "/triggers");
  finder.inTemplate(concurrencyKey, "/concurrencyKey");
  finder.workflow(errorWorkflowId, "/errorWorkflowId");
  finder.inNodes(nodes, "/nodes");
  return finder;
}

/** The references in a mention. Expressions are parsed on first use. */
export function referencesOf({ kind, text, path }: Mention): Reference[] {
  if (kind === "workflow") return [{ kind, name: text, path }];
  const { secrets, variables } =
    kind === "template" ? templateReferences(text) : checkExpression(text).references;
  return [
    ...secrets.map((name) => ({ kind: "secret", name, path }) as const),
    ...variables.map((name) => ({ kind: "variable", name, path }) as const),
  ];
}

class MentionFinder {
  readonly all: Mention[] = [];
  excess: string | undefined;
  readonly #types: NodeTypes;
  #expressions = 0;
  #characters = 0;
  #squaredDots = 0;

  constructor(types: NodeTypes) {
    this.#types = types;
  }

  inNodes(nodes: unknown, path: string): void {
    if (!Array.isArray(nodes)) return;
    for (const [index, node] of nodes.entries()) {
      if (!isRecord(node) || typeof node["type"] !== "string") continue;
      const type = this.#types.get(node["type"]);
      if (isRecord(node["forEach"])) {
        this.inTemplate(node["forEach"]["items"], `${path}/${index}/forEach/items`);
      }
      const config = node["config"];
      if (!type || !isRecord(config)) continue;
      const configPath = `${path}/${index}/config`;
      const { templates, expressions } = splitConfig(type.config, config);
      this.inTemplate(templates, configPath);
      for (const [name, text] of Object.entries(expressions)) {
        this.#expression(
          isTemplate(text) ? "template" : "expression",
          text,
          `${configPath}/${name}`,
        );
      }
      if (type.type === subworkflow.type) {
        this.workflow(config["workflowId"], `${configPath}/workflowId`);
      }
      if (type.plans) this.inNodes(config["tools"], `${configPath}/tools`);
      const body = type.iterates ? config["body"] : undefined;
      if (isRecord(body)) this.inNodes(body["nodes"], `${configPath}/body/nodes`);
    }
  }

  inTemplate(value: unknown, path: string): void {
    if (typeof value === "string") {
      if (isTemplate(value)) this.#expression("template", value, path);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        this.inTemplate(part, jsonPointer(path, name));
      }
    }
  }

  workflow(id: unknown, path: string): void {
    // Template values are only known at run time.
    if (typeof id === "string" && !isTemplate(id)) {
      this.all.push({ kind: "workflow", text: id, path });
    }
  }

  #expression(kind: "template" | "expression", text: string, path: string): void {
    this.#expressions += kind === "template" ? text.split("{{").length - 1 : 1;
    this.#characters += text.length;
    this.#squaredDots += dotsOf(text) ** 2;
    const isWithinLimits =
      this.#expressions <= EXPRESSIONS_MAX &&
      this.#characters <= CHARACTERS_MAX &&
      this.#squaredDots <= SQUARED_DOTS_MAX;
    if (isWithinLimits) this.all.push({ kind, text, path });
    else this.excess ??= path;
  }
}

function isRecord(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
