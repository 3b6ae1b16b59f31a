import { checkExpression } from "#kernel/expression/expression.ts";
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

/** All that a definition refers to. It takes any JSON, and overlooks what has no meaning. */
export function referencesIn(definition: unknown, types: NodeTypes): Reference[] {
  if (!isRecord(definition)) return [];
  const { trigger, concurrencyKey, errorWorkflowId, nodes } = definition;
  const found = new Finder(types);
  found.inTemplate(trigger, "/trigger");
  found.inTemplate(concurrencyKey, "/concurrencyKey");
  found.workflow(errorWorkflowId, "/errorWorkflowId");
  found.inNodes(nodes, "/nodes");
  return found.references;
}

class Finder {
  readonly references: Reference[] = [];
  readonly #types: NodeTypes;

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
      if (isTemplate(value)) this.#secrets(templateReferences(value).secrets, path);
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
    if (isTemplate(text)) this.inTemplate(text, path);
    else this.#secrets(checkExpression(text).references.secrets, path);
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
