import pg from "pg";

/** Databases of a figure on a separate server, for tools or extensions that the embedded one lacks. */
export class DatabaseServer {
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  urlOf(database: string): string {
    const url = new URL(this.#url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async query<Row extends pg.QueryResultRow>(
    database: string,
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.urlOf(database) });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async create(database: string): Promise<void> {
    await this.drop(database);
    await this.query("postgres", `create database ${database}`);
  }

  async drop(database: string): Promise<void> {
    await this.query("postgres", `drop database if exists ${database} with (force)`);
  }
}
