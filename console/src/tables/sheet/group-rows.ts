/** Builds the lines of a grouped grid: group headers, and the records in expanded groups. */

export interface Group {
  readonly value: unknown;
  readonly count: number;
  readonly figures: Readonly<Record<string, unknown>>;
}

export interface GroupRows {
  /** The number of all lines. */
  readonly count: number;
  /** Returns the group if this line is its header. */
  readonly groupAt: (line: number) => { readonly group: Group; readonly n: number } | undefined;
  /** Returns the place of a line's record in the list; undefined for a group header. */
  readonly placeAt: (line: number) => number | undefined;
  readonly lineOf: (place: number) => number;
}

/** Without groups, every line is a record. */
export function plainRows(count: number): GroupRows {
  return {
    count,
    groupAt: () => undefined,
    placeAt: (line) => line,
    lineOf: (place) => place,
  };
}

/** `folded` contains the values of collapsed groups, as JSON. */
export function groupRows(groups: readonly Group[], folded: ReadonlySet<string>): GroupRows {
  const starts: number[] = [];
  const places: number[] = [];
  let line = 0;
  let place = 0;
  for (const { value, count } of groups) {
    starts.push(line);
    places.push(place);
    line += 1 + (folded.has(JSON.stringify(value)) ? 0 : count);
    place += count;
  }
  const find = (at: number, edges: readonly number[]): number => {
    let [low, high] = [0, edges.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((edges[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    count: line,
    groupAt(at) {
      const n = find(at, starts);
      const group = groups[n];
      return group && starts[n] === at ? { group, n } : undefined;
    },
    placeAt(at) {
      const n = find(at, starts);
      const start = starts[n] ?? 0;
      return at === start && groups.length > 0 ? undefined : (places[n] ?? 0) + at - start - 1;
    },
    lineOf(wanted) {
      const n = find(wanted, places);
      return (starts[n] ?? 0) + 1 + wanted - (places[n] ?? 0);
    },
  };
}
