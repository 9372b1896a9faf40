//! Readers of gzip that other people use, some of which stop behind the first member.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use broadloom::compression::decompress::list;
use broadloom::compression::inflate::Options;
use broadloom_testing::has;

use crate::common::{Place, text};

/// Bytes of the original: several chunks at every level.
const LEN: usize = 3 << 20;

/// A program in a language, which writes what it finds in the file that is its argument.
struct Reader {
    tool: &'static str,
    /// It is too large to be installed for this: it is used where it is.
    is_optional: bool,
    args: &'static [&'static str],
    /// A program that has to be a file of its own.
    file: Option<(&'static str, &'static str)>,
}

const READERS: [Reader; 9] = [
    Reader {
        tool: "python3",
        is_optional: false,
        args: &[
            "-c",
            "import sys, zlib\n\
             sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], 'rb').read(), 31))",
        ],
        file: None,
    },
    Reader {
        tool: "python3",
        is_optional: false,
        args: &["-c", "import gzip, sys\nsys.stdout.buffer.write(gzip.open(sys.argv[1]).read())"],
        file: None,
    },
    Reader {
        tool: "perl",
        is_optional: false,
        args: &[
            "-MIO::Uncompress::Gunzip=gunzip,$GunzipError",
            "-e",
            "binmode STDOUT; gunzip $ARGV[0] => \\*STDOUT or die $GunzipError",
        ],
        file: None,
    },
    Reader {
        tool: "perl",
        is_optional: false,
        args: &[
            "-MCompress::Zlib",
            "-e",
            "binmode STDOUT; open F, '<:raw', $ARGV[0]; local $/; $_ = <F>; \
             print Compress::Zlib::memGunzip($_)",
        ],
        file: None,
    },
    Reader {
        tool: "php",
        is_optional: false,
        args: &["-r", "echo gzdecode(file_get_contents($argv[1]));", "--"],
        file: None,
    },
    Reader {
        tool: "ruby",
        is_optional: false,
        args: &[
            "-rzlib",
            "-e",
            "$stdout.binmode; Zlib::GzipReader.open(ARGV[0]) { |gz| print gz.read }",
        ],
        file: None,
    },
    Reader {
        tool: "node",
        is_optional: true,
        args: &[
            "-e",
            "process.stdout.write(require('zlib').gunzipSync(require('fs').readFileSync(process.argv[1])))",
        ],
        file: None,
    },
    Reader {
        tool: "java",
        is_optional: true,
        args: &[],
        file: Some((
            "Read.java",
            "public class Read { public static void main(String[] a) throws Exception { \
             new java.util.zip.GZIPInputStream(new java.io.FileInputStream(a[0])).transferTo(System.out); \
             System.out.flush(); } }",
        )),
    },
    Reader {
        tool: "go",
        is_optional: true,
        args: &["run"],
        file: Some((
            "read.go",
            "package main\nimport (\"compress/gzip\"; \"io\"; \"os\")\nfunc main() {\n\
             f, _ := os.Open(os.Args[1])\nz, err := gzip.NewReader(f)\nif err != nil { panic(err) }\n\
             z.Multistream(false)\nif _, err := io.Copy(os.Stdout, z); err != nil { panic(err) }\n}\n",
        )),
    },
];

impl Reader {
    /// Returns `true` if it is here.
    fn is_here(&self) -> bool {
        if !self.is_optional {
            return has(self.tool);
        }
        let version = if self.tool == "go" { "version" } else { "--version" };
        let status = Command::new(self.tool)
            .arg(version)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let is_here = status.is_ok_and(|status| status.success());
        if !is_here {
            eprintln!("{} is not here: it read nothing", self.tool);
        }
        is_here
    }

    fn read(&self, place: &Place, file: &Path) -> Vec<u8> {
        let mut command = Command::new(self.tool);
        command.args(self.args).env("HOME", place.path()).env("GOFLAGS", "-mod=mod");
        if let Some((name, program)) = self.file {
            place.write(name, program);
            command.arg(place.path().join(name));
        }
        let output = command.arg(file).output().expect("it was here a moment ago");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {:?}: {stderr}", self.tool, self.args);
        output.stdout
    }
}

/// A compressed file for each way to get one, and what they are of.
fn compressed(place: &Place) -> (Vec<u8>, Vec<PathBuf>) {
    let data = text(LEN, 7);
    let ways = [["-1"].as_slice(), &[], &["-9", "--chunk", "100K"], &["-0"]];
    let mut files = Vec::new();
    for (number, way) in ways.into_iter().enumerate() {
        let name = format!("data{number}");
        place.write(&name, &data);
        let said = place.command("compress").args(way).arg(&name).output().unwrap();
        assert!(said.status.success(), "{way:?}: {}", String::from_utf8_lossy(&said.stderr));
        files.push(place.path().join(name + ".gz"));
    }
    let piped = place.path().join("piped.gz");
    let input = place.path().join("data");
    fs::write(&input, &data).unwrap();
    let status = place
        .command("compress")
        .stdin(fs::File::open(&input).unwrap())
        .stdout(fs::File::create(&piped).unwrap())
        .status()
        .unwrap();
    assert!(status.success());
    files.push(piped);
    (data, files)
}

#[test]
fn every_reader_gets_all_of_it() {
    let place = Place::new();
    let (data, files) = compressed(&place);
    for reader in READERS.iter().filter(|reader| reader.is_here()) {
        for file in &files {
            let read = reader.read(&place, file);
            let (tool, len) = (reader.tool, read.len());
            assert!(read == data, "{tool} got {len} bytes of {}", file.display());
        }
    }
}

#[test]
fn sizes_are_listed_right() {
    let place = Place::new();
    let (_, files) = compressed(&place);
    for file in &files {
        let said = |command: &mut Command| {
            let output = command.arg(file).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        let len = fs::metadata(file).unwrap().len();
        for program in ["gzip", "ours"] {
            let mut command = match program {
                "gzip" if has("gzip") => Command::new("gzip"),
                "gzip" => continue,
                _ => place.command("decompress"),
            };
            let listed = said(command.args(["-l", "-q"]));
            let sizes: Vec<&str> = listed.split_whitespace().take(2).collect();
            assert_eq!(sizes, [len.to_string(), LEN.to_string()], "{program}");
        }
        if has("file") {
            let told = said(&mut Command::new("file"));
            assert!(told.contains(&format!("original size modulo 2^32 {LEN}")), "{told}");
        }
    }
}

#[test]
fn curl_takes_it_as_an_encoding() {
    if !has("curl") || !has("python3") {
        return;
    }
    let place = Place::new();
    let (data, files) = compressed(&place);
    for file in &files {
        let program = "import http.server, sys\n\
             class H(http.server.BaseHTTPRequestHandler):\n\
             \x20def do_GET(self):\n\
             \x20 body = open(sys.argv[1], 'rb').read()\n\
             \x20 self.send_response(200)\n\
             \x20 self.send_header('Content-Encoding', 'gzip')\n\
             \x20 self.send_header('Content-Length', str(len(body)))\n\
             \x20 self.end_headers()\n\
             \x20 self.wfile.write(body)\n\
             \x20def log_message(self, *a): pass\n\
             s = http.server.HTTPServer(('127.0.0.1', 0), H)\n\
             print(s.server_port, flush=True)\n\
             s.timeout = 60\n\
             s.handle_request()\n";
        let mut server = Command::new("python3")
            .args(["-c", program])
            .arg(file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--compressed", "--noproxy", "*"])
            .arg(format!("http://127.0.0.1:{}/", port.trim()))
            .output()
            .unwrap();
        assert!(server.wait().unwrap().success());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {stderr}", file.display());
        assert!(output.stdout == data, "{} bytes of {}", output.stdout.len(), file.display());
    }
}

#[test]
fn members_are_there_for_whoever_asks() {
    let place = Place::new();
    let data = text(LEN, 8);
    place.write("data", &data);
    let said =
        place.command("compress").args(["--members", "--chunk", "64K", "data"]).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let (file, mut members) = (fs::read(place.path().join("data.gz")).unwrap(), 0);
    list(&file[..], Options::default(), |_| members += 1).unwrap();
    assert_eq!(members, 48);
    let listed = place.command("decompress").args(["-l", "-v", "data.gz"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let row: Vec<&str> = listed.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..2], ["defla", &format!("{:08x}", crc32fast::hash(&data))], "{listed}");
    let back = place.command("decompress").args(["-c", "data.gz"]).output().unwrap();
    assert!(back.stdout == data);
    let wrong = place
        .command("compress")
        .args(["--members", "--format", "zlib", "-c", "data.gz"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&wrong.stderr);
    assert!(stderr.contains("--members is of use for --format gzip only, not zlib"), "{stderr}");
}
