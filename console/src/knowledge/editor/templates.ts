export const TEMPLATES: readonly { readonly name: string; readonly body: string }[] = [
  {
    name: "How to",
    body: `## Goal

Describe the result in one sentence.

## Before you start

- List what the reader needs

## Steps

1. Describe the first step.
2. Describe the next step.

## Troubleshooting

Describe what to try, and who to contact.
`,
  },
  {
    name: "Known error",
    body: `## Symptoms

Copy the exact error message.

## Cause

Describe the cause.

## Workaround

1. Describe what to do until the error is fixed.

## Fix

Link the change that fixes the error.
`,
  },
  {
    name: "Question and answer",
    body: `**Short answer:** one sentence.

## Details

Explain the answer and add related information.
`,
  },
];
