import pg from "pg";

/** What this needs of the driver's connection. */
interface Connection {
  execute(what: { readonly portal: string; readonly rows: number }): void;
  sync(): void;
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** The driver's own class for a statement, whose types leave out what the connection calls. */
const DriverQuery = pg.Query as unknown as new (config: object) => {
  callback: (error: Error | null, result: pg.QueryArrayResult) => void;
  handleDataRow(row: DataRow): void;
};

/**
 * One statement of which only so many rows and bytes are read. It always goes by the extended
 * protocol, which takes one statement only: `commit; delete …` would leave the transaction that
 * keeps it from writing. For further rows the server is not asked.
 */
export class BoundedStatement extends DriverQuery {
  readonly result: Promise<pg.QueryArrayResult>;
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(
    statement: { readonly sql: string; readonly params?: readonly unknown[] },
    bounds: { readonly rowsMax: number; readonly bytesMax: number },
  ) {
    const { sql: text, params: values = [] } = statement;
    super({ text, values, rowMode: "array", queryMode: "extended" });
    this.#rowsMax = bounds.rowsMax;
    this.#bytesMax = bounds.bytesMax;
    this.result = new Promise((resolve, reject) => {
      this.callback = (error, result) => (error ? reject(error) : resolve(result));
    });
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  override handleDataRow(row: DataRow): void {
    for (const field of row.fields) this.#bytes += field?.length ?? 4;
    if (!this.isTooLarge) super.handleDataRow(row);
  }

  /** Called once, by the driver: asks for the rows, and ends with that whatever there is. */
  _getRows(connection: Connection): void {
    connection.execute({ portal: "", rows: this.#rowsMax });
    connection.sync();
  }

  /** There are more rows than were asked for: they are left where they are. */
  handlePortalSuspended(): void {}
}
