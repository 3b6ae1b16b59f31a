import { checkExpression } from "#kernel/expression/expression.ts";
import { dotsOf } from "#kernel/expression/parse.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import { templateReferences } from "#kernel/expression/template.ts";
import { type Config, isTemplate, type NodeTypes, partsOf, subworkflow } from "./definition/index.ts";

/** Something outside of a definition that it counts on. */
export interface Reference {
  readonly kind: "secret" | "workflow";
  readonly name: string;
  /** Where it is named. */
  readonly path: string;
}

/** What a definition refers to. */
export interface References {
  readonly references: readonly Reference[];
  /** Where its expressions became too many to be read; what comes after was not. */
  readonly excess: string | undefined;
}

/**
 * Bounds on all expressions of a definition together. To read one takes about a tenth of a
 * millisecond, and a time that grows with the square of its dots; meanwhile nobody else is served.
 */
const EXPRESSIONS_MAX = 2_000;
const CHARACTERS_MAX = 200_000;
const SQUARED_DOTS_MAX = 4_000_000;

/** All that a definition refers to. It takes any JSON, and overlooks what has no meaning. */
export function referencesIn(definition: unknown, types: NodeTypes): References {
  const found = new Finder(types);
  if (!isRecord(definition)) return found;
  const { trigger, concurrencyKey, errorWorkflowId, nodes } = definition;
  found.inTemplate(trigger, "/trigger");
  found.inTemplate(concurrencyKey, "/concurrencyKey");
  found.workflow(errorWorkflowId, "/errorWorkflowId");
  found.inNodes(nodes, "/nodes");
  return found;
}

class Finder {
  readonly references: Reference[] = [];
  readonly #types: NodeTypes;
  excess: string | undefined;
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
      const config = node["config"];
      if (!type || !isRecord(config)) continue;
      const place = `${path}/${index}/config`;
      const { templates, expressions } = partsOf(type.config, config);
      this.inTemplate(templates, place);
      for (const [name, text] of Object.entries(expressions)) {
        this.#inExpression(text, `${place}/${name}`);
      }
      if (type.type === subworkflow.type) {
        this.workflow(config["workflowId"], `${place}/workflowId`);
      }
      const body = type.iterates ? config["body"] : undefined;
      if (isRecord(body)) this.inNodes(body["nodes"], `${place}/body/nodes`);
    }
  }

  inTemplate(value: unknown, path: string): void {
    if (typeof value === "string") {
      if (!isTemplate(value) || !this.#afford(value, value.split("{{").length - 1, path)) return;
      this.#secrets(templateReferences(value).secrets, path);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        this.inTemplate(part, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
      }
    }
  }

  workflow(id: unknown, path: string): void {
    // What a template becomes is known only when the step runs.
    if (typeof id !== "string" || isTemplate(id)) return;
    this.references.push({ kind: "workflow", name: id, path });
  }

  #inExpression(text: string, path: string): void {
    if (isTemplate(text)) return this.inTemplate(text, path);
    if (this.#afford(text, 1, path)) {
      this.#secrets(checkExpression(text).references.secrets, path);
    }
  }

  #afford(text: string, expressions: number, path: string): boolean {
    this.#expressions += expressions;
    this.#characters += text.length;
    this.#squaredDots += dotsOf(text) ** 2;
    const affordable =
      this.#expressions <= EXPRESSIONS_MAX &&
      this.#characters <= CHARACTERS_MAX &&
      this.#squaredDots <= SQUARED_DOTS_MAX;
    if (!affordable) this.excess ??= path;
    return affordable;
  }

  #secrets(names: readonly string[], path: string): void {
    for (const name of names) {
      if (name !== ANY_NAME) this.references.push({ kind: "secret", name, path });
    }
  }
}

function isRecord(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
