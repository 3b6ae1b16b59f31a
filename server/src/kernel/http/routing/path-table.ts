/** The paths that have routes, with the methods of each; a word of a pattern that begins with a colon is a parameter. */
export class PathTable {
  readonly #root = new PathNode();

  /** Each pattern, and its methods. */
  readonly patterns = new Map<string, ReadonlySet<string>>();

  add(url: string, method: string): void {
    let node = this.#root;
    for (const word of wordsOf(url)) node = node.open(word);
    node.methods.add(method);
    this.patterns.set(url, node.methods);
  }

  /** The methods of the path that the router would choose, of a given name before a parameter; none when it leads nowhere. */
  methodsAt(path: string): ReadonlySet<string> | undefined {
    const [bare = ""] = path.split("?");
    return match(this.#root, wordsOf(bare).map(decode), 0);
  }

  /** The methods of the other patterns that some path of this one is also a path of. */
  overlappingMethods(url: string): ReadonlySet<string> {
    const words = wordsOf(url);
    let nodes = [this.#root];
    const methods: string[] = [];
    for (const word of words) {
      methods.push(...nodes.flatMap((node) => [...(node.children.get("*")?.methods ?? [])]));
      nodes = nodes.flatMap((node) => node.overlapping(word));
    }
    return new Set([...methods, ...nodes.flatMap((node) => [...node.methods])]);
  }
}

/** A part of the paths that begin alike, and the words that follow it. */
class PathNode {
  readonly methods = new Set<string>();
  readonly children = new Map<string, PathNode>();
  /** Those for a parameter, with the text that must follow it in the same word. */
  readonly parameters: { readonly suffix: string; readonly node: PathNode }[] = [];

  open(word: string): PathNode {
    if (!word.startsWith(":")) return this.#child(word);
    const suffix = suffixOf(word);
    const known = this.parameters.find((parameter) => parameter.suffix === suffix);
    if (known) return known.node;
    const node = new PathNode();
    this.parameters.push({ suffix, node });
    // The longest suffix is tried first, as the router does.
    this.parameters.sort((a, b) => b.suffix.length - a.suffix.length);
    return node;
  }

  overlapping(word: string): PathNode[] {
    const isParameter = word.startsWith(":");
    const named = isParameter ? [...this.children.values()] : [this.children.get(word)];
    const parameters = this.parameters.filter(({ suffix }) => isParameter || word.endsWith(suffix));
    return [
      ...named.filter((node) => node !== undefined),
      ...parameters.map((parameter) => parameter.node),
    ];
  }

  #child(word: string): PathNode {
    const known = this.children.get(word);
    if (known) return known;
    const node = new PathNode();
    this.children.set(word, node);
    return node;
  }
}

function match(
  node: PathNode,
  words: readonly string[],
  at: number,
): ReadonlySet<string> | undefined {
  const word = words[at];
  if (word === undefined) return node.methods.size > 0 ? node.methods : undefined;
  const named = node.children.get(word);
  const found = named && match(named, words, at + 1);
  if (found) return found;
  for (const parameter of node.parameters) {
    if (!word.endsWith(parameter.suffix)) continue;
    const methods = match(parameter.node, words, at + 1);
    if (methods) return methods;
  }
  return node.children.get("*")?.methods;
}

function wordsOf(path: string): string[] {
  return path.slice(1).split("/");
}

function suffixOf(word: string): string {
  return word.replace(/^:\w+/, "");
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
