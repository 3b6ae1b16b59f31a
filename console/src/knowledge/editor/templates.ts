export const TEMPLATES: readonly { readonly name: string; readonly body: string }[] = [
  {
    name: "How to",
    body: `## What you get

One sentence.

## Before you begin

- What one needs at hand

## Steps

1. Do this.
2. Then this.

## It did not work?

Say what to try, and whom to ask.
`,
  },
  {
    name: "Known error",
    body: `## What you see

The message, word for word.

## Why

What causes it.

## How to get by

1. Do this until it is mended.

## When it will be mended

The change that does it.
`,
  },
  {
    name: "Question and answer",
    body: `**In short:** the answer in one sentence.

## More about it

Why it is so, and what else one may want to know.
`,
  },
];
