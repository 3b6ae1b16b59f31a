import { expect, test } from "vitest";
import { forgetPerson, rememberFor } from "./person-memory.ts";

class Memory extends Map<string, string> {
  readonly getItem = (key: string) => this.get(key) ?? null;
  readonly setItem = (key: string, value: string) => void this.set(key, value);
  readonly removeItem = (key: string) => void this.delete(key);
  readonly key = (index: number) => [...this.keys()][index] ?? null;
  get length(): number {
    return this.size;
  }
}

test("data remembered for another user is deleted, and settings of the browser are kept", () => {
  const memory = new Memory();
  const remember = (): void => {
    for (const name of ["recents.acme", "recents.other", "input.wf_1", "theme"])
      memory.set(`millrace.${name}`, "x");
  };
  const keys = (): string[] => [...memory.keys()].toSorted();
  // Older consoles did not store the user id.
  remember();
  rememberFor("usr_ada", memory);
  rememberFor("usr_ada", memory);
  expect(keys()).toContain("millrace.input.wf_1");
  rememberFor("usr_ben", memory);
  expect(keys()).toEqual(["millrace.person", "millrace.theme"]);
  remember();
  forgetPerson(memory);
  expect(keys()).toEqual(["millrace.theme"]);
});
