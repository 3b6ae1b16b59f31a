/** A node of a foreign document; it must be checked before use. */
export type DocumentNode = Readonly<Record<string, unknown>>;

/** An unusable document; the message is for its author. */
export class DocumentError extends Error {}

const REFERENCES_MAX = 20;

export class Document {
  readonly root: DocumentNode;

  constructor(value: unknown) {
    const root = nodeOf(value);
    const version = root["openapi"];
    if (typeof version !== "string" || !/^3\.\d/.test(version)) {
      throw new DocumentError("must be an OpenAPI document of version 3");
    }
    this.root = root;
  }

  /** Returns the node, or the target of its reference. Only references within the document are followed. */
  resolve(value: unknown): DocumentNode {
    let node = nodeOf(value);
    for (let followed = 0; typeof node["$ref"] === "string"; followed += 1) {
      if (followed === REFERENCES_MAX) throw new DocumentError("has circular references");
      node = this.#at(node["$ref"]);
    }
    return node;
  }

  #at(reference: string): DocumentNode {
    const excerpt = reference.slice(0, 200);
    if (!reference.startsWith("#/")) {
      throw new DocumentError(`refers to another document: ${excerpt}`);
    }
    let node = this.root;
    for (const part of reference.slice(2).split("/")) {
      const name = decodePart(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (!Object.hasOwn(node, name))
        throw new DocumentError(`has an invalid reference: ${excerpt}`);
      node = nodeOf(node[name]);
    }
    return node;
  }
}

/** Returns an object, or an empty one for any other value. */
export function nodeOf(value: unknown): DocumentNode {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as DocumentNode)
    : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
