// Finds state in modules: what code at the top level of a file declares and functions change later. By text: sources are formatted, so that the top level
// begins at the first column and everything else does not.

/** Classes of the language whose objects are plain data or do not change. */
const PLAIN =
  /^(Map|Set|WeakMap|WeakSet|Array|URL|RegExp|Error|TextEncoder|TextDecoder|DataView|ArrayBuffer|\w+(?:8|16|32|64)(?:Clamped)?Array)$/;
const CHANGING = 'push|pop|shift|unshift|splice|sort|reverse|fill|set|add|delete|clear|copyWithin';
const MEMBERS = String.raw`(?:!?\.\w+!?|!?\[[^\]]*\]!?)`;

/** Names at the top level of a file that are variables, objects of a class of ours, or data that a function changes. `source` has no comments. */
export function moduleState(source: string): string[] {
  // Loops and conditions at the top level fill tables while the module is loaded.
  const code = source.replace(/^(?:for|while|if) .*\n(?:[ \t].*\n)*/gm, '');
  const found = new Set<string>();
  for (const [, kind, names = '', value = ''] of code.matchAll(
    /^(?:export )?(const|let|var) (\w+|[{[][^=]*[}\]])[^=\n]*(?:=\s*(.*))?$/gm,
  )) {
    const ownClass = /^new (\w+)/.exec(value)?.[1];
    for (const [, name] of names.matchAll(/(\w+)\s*(?=[,}\]]|$)/g)) {
      const changes = new RegExp(
        String.raw`^[ \t].*(?<![\w.'$])(?:${name}${MEMBERS}*\.(?:${CHANGING})\(|${name}${MEMBERS}+ (?:[-+*/|&^]|<<|>>|\?\?)?=(?!=)|${name}${MEMBERS}+(?:\+\+|--)|delete ${name}${MEMBERS})`,
        'm',
      );
      if (kind !== 'const' || (ownClass !== undefined && !PLAIN.test(ownClass)) || changes.test(code)) found.add(name!);
    }
  }
  return [...found].sort();
}
