// Ends the process in one sentence where Node is too old. The build and the executable import it before any other module, so it is JavaScript that an old Node can read.
const FLOOR = [20, 19];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1])) {
  process.stderr.write(
    `squitter: this is Node ${process.versions.node}, and Squitter needs ${FLOOR.join('.')} or newer (24 is recommended)\n`,
  );
  process.exit(1);
}
