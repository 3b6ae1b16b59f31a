import { expect, test } from "vitest";
import { CredentialScrubber } from "./credential-scrubber.ts";

const scrub = (credential: string, text: string): string => {
  const scrubber = new CredentialScrubber();
  scrubber.add("KEY", credential);
  return scrubber.scrub(text);
};

test("masks a credential without its scheme, and a password of two words only as a whole", () => {
  expect(scrub("Bearer s3cr3t", "it was Bearer s3cr3t")).toBe("it was Bearer [secret KEY]");
  expect(scrub("another word", "in a word: another word")).toBe("in a word: [secret KEY]");
  expect(scrub("another word", "no word of it")).toBe("no word of it");
  // An unknown scheme, if the rest does not look like a word.
  expect(scrub("Custom a1b2c3d4e5f6", "a1b2c3d4e5f6")).toBe("[secret KEY]");
});
